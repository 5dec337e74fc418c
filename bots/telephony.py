"""The bot on a telephone number of Twilio's: `jev-turn serve bots/telephony.py`.

It needs TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, and JEV_SERVER_URL: what Twilio reaches this
machine by, with TLS. Let the number call JEV_SERVER_URL/twilio/voice. Requests that Twilio did not
sign are refused, and only a signed one gets the ticket that opens the sound's WebSocket.
"""

from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import BaseTransport
from pipecat.workers.runner import WorkerRunner

from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate
from jev_turn.server.twilio import mount_twilio as mount
from jev_turn.services import services_from_environment
from jev_turn.transports import policy_of, transport_params

__all__ = ["bot", "mount"]

GREETING = "Hello, this is the harbour museum. How can I help you?"
PROMPT = (
    "You answer the telephone of a small harbour museum. It opens at nine and closes at six, never "
    "on Mondays; adults pay eight euros. What you write is spoken: plain words, one or two short "
    "sentences, no lists. You have already greeted the caller."
)


async def bot(runner_args: RunnerArguments) -> None:
    """Hold one call."""
    transport = await create_transport(runner_args, transport_params())
    # The preset `telephone`, since the transport has found out that a telephone is connected.
    policy, services = policy_of(runner_args), services_from_environment(PROMPT)
    aggregators = LLMContextAggregatorPair(LLMContext())
    pipeline = Pipeline(
        [
            transport.input(),
            SnrGate(policy.gate()),
            services.stt,
            JevJudge(services.judge, policy=policy),
            aggregators.user(),
            services.llm,
            services.tts,
            transport.output(),
            aggregators.assistant(),
        ]
    )
    # A telephone line has 8,000 samples a second; more would be made up.
    line = PipelineParams(audio_in_sample_rate=8000, audio_out_sample_rate=8000)
    worker = PipelineWorker(
        pipeline, params=line, idle_timeout_secs=runner_args.pipeline_idle_timeout_secs
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
