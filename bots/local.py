"""A bot at the microphone and the loudspeaker of this machine: no browser, no server.

`python bots/local.py`. There is no echo cancellation, so it does without barge-in and mutes the
microphone while it speaks. With `--headphones` it does not hear itself and can be interrupted.
Deepgram, OpenAI, Cartesia and Jev where their keys are set, parts without a key otherwise.
"""

import asyncio
import sys

from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import Duplex, FinishTurn
from jev_turn.cli import quiet_logs
from jev_turn.env_file import read_env_file
from jev_turn.errors import JevTurnError
from jev_turn.local_audio import local_transport
from jev_turn.services import chosen, services_from_environment
from jev_turn.setup_check import confirm_microphone

GREETING = "Hello, this is the harbour museum. How can I help you?"
PROMPT = (
    "You answer the telephone of a small harbour museum. It opens at nine and closes at six, never "
    "on Mondays; adults pay eight euros. What you write is spoken: plain words, one or two short "
    "sentences, no lists. You have already greeted the caller."
)


async def main(headphones: bool) -> None:
    """Hold one conversation, until Ctrl-C."""
    transport = local_transport()
    if not headphones:
        confirm_microphone(transport)  # the bot hears whatever else is in the room
    services = services_from_environment(PROMPT)
    if headphones:
        turns: Duplex | FinishTurn = Duplex(services.judge)
    else:
        turns = FinishTurn(services.judge, llm=services.llm, transport=transport, persist=False)

    aggregators = LLMContextAggregatorPair(LLMContext())
    pipeline = turns.pipeline(
        transport.input(),
        services.stt,
        aggregators,
        services.llm,
        services.tts,
        transport.output(),
    )
    worker = PipelineWorker(pipeline, idle_timeout_secs=None)
    await worker.queue_frame(TTSSpeakFrame(GREETING))
    runner = WorkerRunner()
    await runner.add_workers(worker)
    await runner.run()


if __name__ == "__main__":
    read_env_file()
    quiet_logs(verbose="--verbose" in sys.argv)
    try:
        print(chosen(), "Speak; Ctrl-C ends the bot.", sep="\n")
        asyncio.run(main(headphones="--headphones" in sys.argv))
    except JevTurnError as error:
        sys.exit(f"{error}")
