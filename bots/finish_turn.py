"""A bot without barge-in: it hears a person out, and nothing that is said meanwhile is lost.

`make bot BOT=finish_turn`, or `python bots/finish_turn.py` and the address that it prints. Deepgram,
OpenAI, Cartesia and Jev where their keys are set, parts without a key in the place of the others.
Calls are kept in a database among your own files: `jev-turn calls list` shows them.
"""

from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frameworks.rtvi import RTVIObserverParams
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import BaseTransport
from pipecat.workers.runner import WorkerRunner

from jev_turn.judges.shared import SharedClassifier
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.mic_gate import MicGate, wants_mic_gate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.processors.snr_gate import SnrGate
from jev_turn.services import services_from_environment
from jev_turn.transports import policy_of, transport_params

GREETING = "Hello, this is the harbour museum. How can I help you?"
PROMPT = (
    "You answer the telephone of a small harbour museum. It opens at nine and closes at six, never "
    "on Mondays; adults pay eight euros. What you write is spoken: plain words, one or two short "
    "sentences, no lists. You have already greeted the caller."
)
BARGE_IN = False  # for the page's lines to say; `jev-turn serve` reads it too


async def run_bot(transport: BaseTransport, runner_args: RunnerArguments) -> None:
    """Hold one call."""
    policy, services = policy_of(runner_args), services_from_environment(PROMPT)

    # One judge for two questions: is there enough to answer, and has the person finished?
    judge = SharedClassifier(services.judge)
    replies = ReplyList(judge, policy=policy)
    mouth = GateSink(
        judge, llm=services.llm, policy=policy, on_event=replies.mouth, before_audio=replies.spoke
    )
    # The bot must not hear itself. Where echo is cancelled, words over the bot wait in the list.
    mic_gate = [MicGate(policy=policy)] if wants_mic_gate(transport) else []

    aggregators = LLMContextAggregatorPair(LLMContext())
    pipeline = Pipeline(
        [
            transport.input(),
            *mic_gate,
            SnrGate(policy.gate()),
            services.stt,
            replies,  # what is said waits here, in a database, and is answered together, once
            aggregators.user(),
            services.llm,
            services.tts,
            mouth,  # a reply that is ready waits here until the person has finished
            transport.output(),
            aggregators.assistant(),
        ]
    )
    worker = PipelineWorker(
        pipeline,
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
        # A browser hears each word from the recogniser; the list's turn would be the same again.
        rtvi_observer_params=RTVIObserverParams(
            vad_user_speaking_enabled=True, ignored_sources=[replies]
        ),
    )

    @transport.event_handler("on_client_connected")
    async def greet(transport: BaseTransport, client: object) -> None:
        await worker.queue_frame(TTSSpeakFrame(GREETING))

    @transport.event_handler("on_client_disconnected")
    async def hang_up(transport: BaseTransport, client: object) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)
    await runner.run()


async def bot(runner_args: RunnerArguments) -> None:
    """Be called by Pipecat's runner, or by Pipecat Cloud, once for each connection."""
    transport = await create_transport(runner_args, transport_params())
    await run_bot(transport, runner_args)


if __name__ == "__main__":
    from pipecat.runner.run import app, main

    from jev_turn.page import announce, mount

    mount(app, barge_in=BARGE_IN)
    announce(app, barge_in=BARGE_IN)
    main()
