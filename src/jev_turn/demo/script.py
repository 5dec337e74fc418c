"""The demo's conversations: callers of a small museum, as data."""

from __future__ import annotations

from jev_turn.demo.plan import (
    After,
    Conversation,
    Cue,
    Fate,
    FinishTurnSetup,
    Killed,
    Noise,
    Step,
    Voice,
)

_GOODBYE = 900
"""A caller's pause before the next question, ms."""


def _say(text: str, fate: Fate, after: After = "bot stops", ms: int = _GOODBYE) -> Step:
    return Step(Cue(after, ms), Voice(text), fate)


def _other(text: str, after: After, ms: int) -> Step:
    return Step(Cue(after, ms), Voice(text, who="other", level_db=-30.0), Fate.UNANSWERED)


def _noise(noise: Noise, after: After = "sound", ms: int = 1600) -> Step:
    click = noise.name == "click"
    return Step(Cue(after, ms), noise, Fate.UNOPENED if click else Fate.UNHEARD)


QUESTION = Conversation(
    "question",
    "Two plain questions in a room with some noise. Both are answered.",
    (
        _say("Is the museum open on Sundays?", Fate.ANSWERED, "start", 1200),
        _say("And how much do tickets cost?", Fate.ANSWERED),
    ),
)

THINKING = Conversation(
    "thinking",
    "The caller stops in mid-thought, for three and a half seconds and for seven. One turn each.",
    (
        _say("We want to reserve a guided tour for", Fate.CONTINUED, "start", 1200),
        _say("my whole chess club.", Fate.ANSWERED, "sound", 3500),
        _say("There are nineteen of us. One second, I need my diary.", Fate.CONTINUED),
        _say("Thursday next week, in the morning.", Fate.ANSWERED, "sound", 6800),
    ),
)

NOISES = Conversation(
    "noises",
    "Cough, click, door, keyboard and music, while the bot speaks and while it listens. "
    "They make no words and no turn, and the bot goes on.",
    (
        _say("Please tell me how the museum began.", Fate.ANSWERED, "start", 1200),
        _noise(Noise("cough", seed=3), "bot starts", 1500),
        _noise(Noise("click", seed=1)),
        _noise(Noise("door slam", seed=2)),
        _noise(Noise("keyboard", ms=2500, level_db=-30, seed=4)),
        _noise(Noise("music", ms=5000, level_db=-32, seed=5)),
        _noise(Noise("click", seed=6), "bot stops", 1000),
        _noise(Noise("cough", seed=7)),
        _noise(Noise("door slam", seed=8)),
        _noise(Noise("keyboard", ms=3000, level_db=-30, seed=9)),
        _noise(Noise("music", ms=5000, level_db=-32, seed=10)),
        _say("Where do I get off the tram?", Fate.ANSWERED, "sound", 2500),
    ),
)

OVER = Conversation(
    "over",
    "\u201cUh-huh\u201d over a long story changes nothing; \u201cwait, stop\u201d stops it, and the "
    "question after it is answered.",
    (
        _say("Could you explain where the museum comes from?", Fate.ANSWERED, "start", 1200),
        _say("Uh-huh!", Fate.NODDED, "bot starts", 3000),
        _say("Uh-huh?", Fate.NODDED, "sound", 3500),
        _say("Wait, stop.", Fate.STOPS, "sound", 4000),
        _say("How much are the tickets?", Fate.ANSWERED),
    ),
)

STOPPING = Conversation(
    "stopping",
    "The bot is stopped at once, early and late in its story, whatever it is told.",
    (
        _say("Tell me something about the ships.", Fate.ANSWERED, "start", 1200),
        _say("Stop, please.", Fate.STOPS, "bot starts", 2200),
        _say("Describe the building for me.", Fate.ANSWERED),
        _say("Wait, stop.", Fate.STOPS, "bot starts", 6100),
        _say("Give me the history of the dock.", Fate.ANSWERED),
        _say("No, wait, stop.", Fate.STOPS, "bot starts", 3700),
        _say("How much is a ticket for a family?", Fate.ANSWERED),
    ),
)

NUMBER = Conversation(
    "number",
    "The bot asks for a telephone number, which comes in groups. It is one turn.",
    (
        _say("Could somebody ring me back, please?", Fate.ANSWERED, "start", 1200),
        _say("Five five five,", Fate.CONTINUED),
        _say("zero one nine,", Fate.CONTINUED, "sound", 1300),
        _say("eight two seven six.", Fate.ANSWERED, "sound", 1900),
    ),
)

SIDE_TALK = Conversation(
    "sidetalk",
    "Words for somebody else in the room get no reply. The question after them does.",
    (
        _say("Hey Mark, dinner is ready!", Fate.UNANSWERED, "start", 1200),
        _other("Sweetheart, did you see where my glasses went?", "sound", 3000),
        _say("Which tram stop is nearest to where you are?", Fate.ANSWERED, "sound", 3000),
        _other("Grandma says the porridge is burning.", "bot stops", 1500),
        _say("Thank you, goodbye.", Fate.ANSWERED, "sound", 3500),
    ),
)

QUEUE = Conversation(
    "queue",
    "Without barge-in, with good echo cancellation: what is said over the bot waits and is answered "
    "next, once. Three questions in one breath get one reply.",
    (
        _say("Could you explain where the museum comes from?", Fate.ANSWERED, "start", 1200),
        _say("And how much are the tickets?", Fate.QUEUED, "bot starts", 3000),
        _say("Is the museum open on Sundays?", Fate.CONTINUED, "bot stops", 1500),
        _say("Can I come by tram?", Fate.CONTINUED, "sound", 500),
        _say("And is there a place to eat?", Fate.ANSWERED, "sound", 500),
    ),
    FinishTurnSetup(),
)

ECHO = Conversation(
    "echo",
    "Without barge-in or echo cancellation: the microphone hears the loudspeaker and is muted while "
    "the bot is audible. Nothing of the bot's own voice is transcribed.",
    (
        _say("Could you explain where the museum comes from?", Fate.ANSWERED, "start", 1200),
        _say("How much is a ticket for a family?", Fate.ANSWERED),
    ),
    FinishTurnSetup(mic_gate=True, echo=True),
)

INVENTED = Conversation(
    "invented",
    "A recogniser writes a sentence for a slammed door. Nobody can speak so fast: it is dropped, and "
    "the record keeps its rate.",
    (
        _say("Is the museum open on Sundays?", Fate.ANSWERED, "start", 1200),
        Step(
            Cue("bot stops", 2000),
            Noise("door slam", seed=2),
            Fate.INVENTED,
            "Subtitles were provided by the community, see you in the next episode.",
        ),
        _say("How much are the tickets?", Fate.ANSWERED, "sound", 3000),
    ),
    FinishTurnSetup(),
)

RESTART = Conversation(
    "restart",
    "The bot's process is killed while it speaks and a question waits. Another process takes the "
    "call up: the question is answered, once, and the old one is not.",
    (_say("Can I come by tram?", Fate.ANSWERED, "start", 14_000),),
    FinishTurnSetup(),
    Killed(
        (
            _say("Could you explain where the museum comes from?", Fate.ANSWERED, "start", 1200),
            _say("And how much are the tickets?", Fate.QUEUED, "bot starts", 3000),
        ),
        after_ms=2500,
    ),
)

CONVERSATIONS = (
    QUESTION, THINKING, NOISES, OVER, STOPPING, NUMBER, SIDE_TALK, QUEUE, ECHO, INVENTED, RESTART,
)  # fmt: skip
