"""A bot without barge-in, in the open: every part at its place. Run it as it is.

Nothing interrupts a reply: what is said meanwhile waits in the reply list and is answered next, once.
It needs the extra `embedded`, and no key. In a bot of your own exchange the transport for yours,
recogniser, model and voice for your vendors', and the judge for `TypeSafeClassifier()`.
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
from jev_turn.judges.shared import SharedClassifier
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.mic_gate import MicGate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.processors.snr_gate import SnrGate


async def main() -> None:
    """Answer one caller, then print what the model was told and what it said."""
    # Somebody to talk to: a voice in a room with some noise. It stands in for your transport.
    voice = EmbeddedVoice()
    caller = Caller(QUESTION, {sound: make(sound, voice) for sound in wanted([QUESTION])})
    transport, context, llm = caller.transport, LLMContext(), ScriptedLLMService()
    aggregators = LLMContextAggregatorPair(context)

    # One judge for two questions: is there enough to answer, and has the person finished?
    judge = SharedClassifier(EmbeddedClassifier())
    replies = ReplyList(judge, persist=False)  # place="calls" keeps what was said over a crash

    pipeline = Pipeline(
        [
            transport.input(),
            MicGate(),  # the bot must not hear itself; leave it out where echo is cancelled
            SnrGate(),
            EmbeddedSTTService(),
            replies,
            aggregators.user(),
            llm,
            EmbeddedTTSService(voice=voice),
            GateSink(judge, llm=llm, on_event=replies.mouth, before_audio=replies.spoke),
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
