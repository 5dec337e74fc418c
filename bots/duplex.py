"""A bot that listens while it speaks: real barge-in, and turns that end when a person has finished.

`make bot`, or `python bots/duplex.py` and the address that it prints. Deepgram, OpenAI, Cartesia and
Jev where their keys are set, parts without a key in the place of the others. What the runner can
connect, it takes: browsers, Daily, WebSockets, telephones (`-t twilio -x your.proxy`), evals.
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

from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate
from jev_turn.services import services_from_environment
from jev_turn.transports import policy_of, transport_params

GREETING = "Hello, this is the harbour museum. How can I help you?"
PROMPT = (
    "You answer the telephone of a small harbour museum. It opens at nine and closes at six, never "
    "on Mondays; adults pay eight euros. What you write is spoken: plain words, one or two short "
    "sentences, no lists. You have already greeted the caller."
)


async def run_bot(transport: BaseTransport, runner_args: RunnerArguments) -> None:
    """Hold one call."""
    policy, services = policy_of(runner_args), services_from_environment(PROMPT)

    # The aggregators keep their default parameters: JevJudge tells them to leave turns to it.
    # No vad_analyzer anywhere: SnrGate takes its place.
    aggregators = LLMContextAggregatorPair(LLMContext())
    pipeline = Pipeline(
        [
            transport.input(),
            SnrGate(policy.gate()),  # opens the turn on sound, about a tenth of a second after it
            services.stt,
            JevJudge(services.judge, policy=policy),  # ends it, drops side-talk, lets people in
            aggregators.user(),
            services.llm,
            services.tts,
            transport.output(),
            aggregators.assistant(),
        ]
    )
    worker = PipelineWorker(
        pipeline,
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
        rtvi_observer_params=RTVIObserverParams(vad_user_speaking_enabled=True),
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

    mount(app)
    announce(app)
    main()
