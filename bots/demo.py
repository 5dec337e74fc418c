"""The demo's bot in the open: every part of a duplex bot, at its place. Run it as it is.

It needs the extra `embedded`, and no key. In a bot of your own exchange the transport for yours
(WebRTC, a telephone), recogniser, model and voice for your vendors', and the judge for
`TypeSafeClassifier()`. SnrGate and JevJudge stay where they are.
"""

import asyncio

from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from jev_turn.demo.caller import Caller
from jev_turn.demo.clips import make, wanted
from jev_turn.demo.script import QUESTION
from jev_turn.embedded.llm import ScriptedLLMService
from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.judges.embedded import EmbeddedClassifier
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate


async def main() -> None:
    """Answer one caller, then print what the model was told and what it said."""
    # Somebody to talk to: a voice in a room with some noise. It stands in for your transport.
    voice = EmbeddedVoice()
    caller = Caller(QUESTION, {sound: make(sound, voice) for sound in wanted([QUESTION])})
    transport = caller.transport

    # The aggregators keep their default parameters: JevJudge tells them to leave turns to it.
    # No vad_analyzer anywhere: SnrGate takes its place.
    context = LLMContext()
    aggregators = LLMContextAggregatorPair(context)

    pipeline = Pipeline(
        [
            transport.input(),
            SnrGate(),  # opens the turn on sound, about a tenth of a second after its beginning
            EmbeddedSTTService(),
            JevJudge(EmbeddedClassifier()),  # ends it, drops side-talk, lets a person interrupt
            aggregators.user(),
            ScriptedLLMService(),
            EmbeddedTTSService(voice=voice),
            transport.output(),
            aggregators.assistant(),
        ]
    )

    worker = PipelineWorker(pipeline, observers=[caller.ear])
    runner = WorkerRunner()
    await runner.add_workers(worker)
    talking = asyncio.create_task(caller.talk(worker))
    await runner.run()
    await talking

    for message in context.get_messages():
        if isinstance(message, dict):
            print(f"{message['role']:>9}: {message.get('content')}")


if __name__ == "__main__":
    asyncio.run(main())
