"""A turn in flight and its one ending."""

from __future__ import annotations

import pytest
from support.reply_scenario import ListRunner

from jev_turn.replies.context import replace, resumed
from jev_turn.replies.effects import (
    STORED,
    Cut,
    Discard,
    EndTurnRecord,
    Note,
    RestoreCuts,
    StartTurn,
    TurnSpoke,
)
from jev_turn.replies.events import RunEnded

CUT = Cut(1, 0, "what is an index", 1, 0.9, "enough")


@pytest.fixture
def flying(run: ListRunner) -> ListRunner:
    """A list whose first turn began at 1000 ms."""
    run.ctx = resumed((CUT,), next_cut=2, next_turn=1)
    run.do(1000)
    return run


def add(run: ListRunner, at: int, text: str = "and a view") -> None:
    """Say something that becomes a cut one tick later."""
    run.do(at, f'final "{text}"')
    run.do(at + 1000)
    run.do(at + 1000, f"ear ask={run.ctx.ear.next_ask - 1} enough=0.9")


ENDINGS: dict[str, tuple[list[str], EndTurnRecord | RestoreCuts]] = {
    "heard": (["spoke", 'run-ended "A list."'], EndTurnRecord(1, "A list.", True)),
    "heard after its run": (['run-ended "A list."', "spoke"], EndTurnRecord(1, "A list.", True)),
    "announced and heard": (
        ["announced", 'run-ended "A list."', "spoke"], EndTurnRecord(1, "A list.", True)
    ),
    "announced, and failed without a word": (
        ["announced", "run-failed HTTP 503"], EndTurnRecord(1, "", False, "HTTP 503")
    ),
    "announced over other speech": (
        ["agent speaking", 'run-ended "A list."', "announced"],
        EndTurnRecord(1, "A list.", True),
    ),
    "empty": (['run-ended ""'], EndTurnRecord(1, "", True)),
    "signs alone": (['run-ended "..."'], EndTurnRecord(1, "...", True)),
    "empty after a hold": (["held", 'run-ended ""'], EndTurnRecord(1, "", True)),
    "failed unheard": (["run-failed HTTP 503"], RestoreCuts(1, "HTTP 503")),
    "failed held": (["held", "run-failed HTTP 503"], RestoreCuts(1, "HTTP 503")),
    "failed without a word": (["run-failed "], RestoreCuts(1, "failed")),
    "failed in mid-sentence": (
        ["spoke", "run-failed HTTP 503"], EndTurnRecord(1, "", False, "HTTP 503")
    ),
    "stopped by the application": (["run-failed dropped"], EndTurnRecord(1, "", False, "dropped")),
    "unspoken": (
        ["held", 'run-ended "A list."', 'unspoken ""'],
        EndTurnRecord(1, "A list.", False, "unspoken"),
    ),
    "unspoken in mid-run": (
        ["held", 'unspoken "A"'], EndTurnRecord(1, "A", False, "unspoken")
    ),
    "hung up": (["hang-up"], EndTurnRecord(1, "", False, "hung_up")),
    "hung up in mid-sentence": (["spoke", "hang-up"], EndTurnRecord(1, "", False, "hung_up")),
    "hung up while held": (
        ["held", 'run-ended "A list."', "hang-up"],
        EndTurnRecord(1, "A list.", False, "hung_up"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "ending"), ENDINGS.values(), ids=ENDINGS.keys())
def test_each_way_out_is_one_ending(
    flying: ListRunner, lines: list[str], ending: EndTurnRecord | RestoreCuts
) -> None:
    """R06, R11: a turn without an ending keeps the list shut, and one with two is answered twice."""
    for line in lines:
        flying.do(1500, line)
    found = [e for _, e in flying.log if isinstance(e, EndTurnRecord | RestoreCuts)]
    assert found == [ending]


def test_a_call_that_is_over_wants_no_tick(flying: ListRunner) -> None:
    """A deadline that stays in the past makes the host's timer go off for ever."""
    flying.do(1100, "agent thinking")
    flying.ctx = replace(flying.ctx, over=True)
    assert flying.ctx.deadline is not None
    flying.do(1200)
    assert flying.ctx.deadline is None


@pytest.mark.parametrize("late", ['run-ended turn=1 "A list."', "spoke turn=1", "held turn=1"])
def test_an_ending_is_the_last_word_about_its_turn(flying: ListRunner, late: str) -> None:
    """R06: what comes late must not end the turn after it."""
    flying.do(1500, 'run-ended ""')
    add(flying, 1600)
    assert flying.turn == 2
    effects = flying.do(2700, late)
    assert [type(effect) for effect in effects] == [Note]


def test_words_while_a_turn_is_in_flight_do_not_end_it(flying: ListRunner) -> None:
    """R06: "restoring one interrupt event turns no assertion red": this one it does."""
    flying.do(1100, "agent speaking")
    flying.do(1100, "spoke")
    flying.do(1200, "onset")
    add(flying, 1500, "stop stop stop")
    flying.do(9000, "agent listening")
    assert (flying.all(EndTurnRecord), len(flying.all(StartTurn))) == ([], 1)


def test_the_first_audio_is_stored_once(flying: ListRunner) -> None:
    """From here a crash must not answer again; a second mark would hide a turn that never spoke."""
    flying.do(1500, "spoke")
    flying.do(1600, "spoke")
    assert flying.all(TurnSpoke) == [TurnSpoke(1)]


@pytest.mark.parametrize(("at", "error"), [(4999, ""), (5000, "silent")])
def test_text_without_audio_is_an_error_after_three_seconds(
    flying: ListRunner, at: int, error: str
) -> None:
    """L04: the voice's permit expired, and every turn reported success; both sides of 3 s."""
    flying.do(2000, 'run-ended "A list."')
    flying.run_until(at)
    flying.do(at, "spoke")
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list.", not error, error)]


@pytest.mark.parametrize(("at", "error"), [(11999, ""), (12000, "silent")])
def test_a_held_reply_gets_its_three_seconds_when_it_opens(
    flying: ListRunner, at: int, error: str
) -> None:
    """Or each reply that was rightly held would be recorded as a dead voice."""
    flying.do(1500, "held")
    flying.do(2000, 'run-ended "A list."')
    flying.do(9000, "opened")
    flying.run_until(at)
    flying.do(at, "spoke")
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list.", not error, error)]


def test_a_reply_may_be_held_after_its_run_has_ended(flying: ListRunner) -> None:
    """Its first sound comes from the voice, later than the model's last word."""
    flying.do(2000, 'run-ended "A list."')
    flying.do(2500, "held")
    flying.do(9000)
    assert flying.all(EndTurnRecord) == []


def test_a_reply_that_opens_before_its_run_ends_is_timed_from_the_end(flying: ListRunner) -> None:
    """A model may write for ten seconds before its first sentence is complete."""
    flying.do(1500, "held")
    flying.do(1600, "opened")
    flying.do(9000, 'run-ended "A list."')
    flying.do(11999)
    assert flying.all(EndTurnRecord) == []
    flying.do(12000)
    assert flying.all(EndTurnRecord)[0].error == "silent"


def test_a_silent_turn_does_not_stop_the_next(flying: ListRunner) -> None:
    """One dead reply must not make the bot deaf as well."""
    flying.do(1100, 'run-ended "A list."')
    add(flying, 1500)
    flying.do(4100)
    assert flying.turn == 2


def test_a_silent_reply_is_not_made_again(flying: ListRunner) -> None:
    """R11: the model did its work; a dead voice would make it do it again each time."""
    flying.do(1100, 'run-ended "A list."')
    flying.do(9000)
    assert (flying.all(RestoreCuts), len(flying.all(StartTurn))) == ([], 1)


def test_what_is_announced_is_answered_once_and_is_no_success_yet(flying: ListRunner) -> None:
    """A crash before the first sample would leave a success behind that nobody heard."""
    flying.do(1100, 'run-ended "A list."')
    assert flying.do(1200, "announced") == (TurnSpoke(1),)
    assert flying.do(1300, "spoke") == (EndTurnRecord(1, "A list.", True),)


def test_what_is_announced_and_never_leaves_is_silent(flying: ListRunner) -> None:
    """R11: whoever lets a reply out does not know whether the loudspeaker takes it."""
    flying.do(1100, 'run-ended "A list."')
    flying.do(1200, "announced")
    flying.do(4199)
    assert flying.all(EndTurnRecord) == []
    flying.do(4200)
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list.", False, "silent")]


def test_a_run_that_broke_off_is_not_made_again(flying: ListRunner) -> None:
    """R11: the voice says what there is of it, and a second run would be heard behind it."""
    flying.do(1100, "held")
    flying.send(RunEnded(1500, 1, "A list is", False, "HTTP 503"))
    flying.do(2000, "opened")
    flying.do(2100, "spoke")
    assert flying.all(RestoreCuts) == []
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list is", False, "HTTP 503")]


def test_a_run_that_broke_off_and_is_never_heard_failed_by_itself(flying: ListRunner) -> None:
    """R11: the record names the cause and not what came of it."""
    flying.send(RunEnded(1500, 1, "A list is", False, "HTTP 503"))
    flying.do(9000)
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list is", False, "HTTP 503")]


def test_a_reply_that_the_application_drops_unheard_is_over(flying: ListRunner) -> None:
    """Nothing else would end it, and the list would stay shut until the turn is given up."""
    flying.do(1100, "held")
    flying.do(1200, 'run-ended "A list."')
    flying.do(1500, "run-failed dropped")
    assert flying.all(EndTurnRecord) == [EndTurnRecord(1, "A list.", False, "dropped")]


def test_restored_cuts_come_first(flying: ListRunner) -> None:
    """R11, R12: out of order, the question would stand behind what refers to it."""
    add(flying, 1500)
    flying.do(3000, "run-failed HTTP 503")
    turn = flying.all(StartTurn)[-1]
    assert [cut.id for cut in turn.cuts] == [1, 2]
    assert turn.text == "what is an index and a view"


def test_a_retry_says_what_the_model_knows_already(flying: ListRunner) -> None:
    """Pushed again, the failed run's message would be in the context twice."""
    add(flying, 1500)
    flying.do(3000, "run-failed HTTP 503")
    assert flying.all(StartTurn)[-1].fresh == "and a view"


def test_a_retry_of_nothing_new_has_nothing_fresh(flying: ListRunner) -> None:
    """The host then runs the model on the context as it is."""
    flying.do(3000, "run-failed HTTP 503")
    assert flying.all(StartTurn)[-1] == StartTurn(2, (CUT,), CUT.text, "")


def test_a_run_is_tried_again_once(flying: ListRunner) -> None:
    """R11: a model that is down for an hour would be called in a loop."""
    flying.do(2000, "run-failed HTTP 503")
    flying.do(3000, "run-failed HTTP 503")
    flying.do(60000)
    assert flying.all(RestoreCuts) == [RestoreCuts(1, "HTTP 503")]
    assert flying.all(EndTurnRecord) == [EndTurnRecord(2, "", False, "HTTP 503")]


def test_a_restart_forgives_no_second_failure(run: ListRunner) -> None:
    """R11: a process that dies between two failures does not make the first one forgotten."""
    run.ctx = resumed((CUT,), next_cut=2, next_turn=2, forgiven=frozenset({1}))
    run.do(1000)
    run.do(2000, "run-failed HTTP 503")
    assert run.all(RestoreCuts) == []
    assert run.all(EndTurnRecord) == [EndTurnRecord(2, "", False, "HTTP 503")]


def test_a_restart_gives_forgiven_words_to_a_model_that_has_not_had_them(run: ListRunner) -> None:
    """The dead process's context died with it."""
    run.ctx = resumed((CUT,), next_cut=2, next_turn=2, forgiven=frozenset({1}))
    run.do(1000)
    assert [turn.fresh for turn in run.all(StartTurn)] == [CUT.text]


def test_new_cuts_get_their_own_second_try(flying: ListRunner) -> None:
    """R11: one lost turn must not take the right to a retry from all that follow."""
    flying.do(2000, "run-failed HTTP 503")
    flying.do(3000, "run-failed HTTP 503")
    add(flying, 4000)
    flying.do(6000, "run-failed HTTP 503")
    assert [restored.turn for restored in flying.all(RestoreCuts)] == [1, 3]


def test_restoring_and_starting_again_are_stored_together(flying: ListRunner) -> None:
    """A crash between two transactions would find the cuts pending and in flight at once."""
    effects = flying.do(2000, "run-failed HTTP 503")
    assert [type(effect) for effect in effects] == [RestoreCuts, StartTurn]
    assert all(isinstance(effect, STORED) for effect in effects)


@pytest.mark.parametrize(("at", "endings"), [(60999, 0), (61000, 1)])
def test_a_turn_without_a_sign_of_life_is_given_up(
    flying: ListRunner, at: int, endings: int
) -> None:
    """Whatever is waited for has a ceiling; both sides of it."""
    flying.do(at)
    assert [end.error for end in flying.all(EndTurnRecord)] == ["stuck"] * endings


@pytest.mark.parametrize("line", ["agent thinking", "held", "opened", "spoke"])
def test_a_sign_of_life_moves_the_ceiling(flying: ListRunner, line: str) -> None:
    """A slow tool is no dead run: given up, its answer would come out for nobody's question."""
    flying.do(50000, line)
    flying.do(109999)
    assert flying.all(EndTurnRecord) == []
    flying.do(110000)
    assert len(flying.all(EndTurnRecord)) == 1


def test_a_long_speech_is_no_dead_run(flying: ListRunner) -> None:
    """A story of two minutes would be recorded as stuck in its middle."""
    flying.do(2000, "spoke")
    flying.do(2000, "agent speaking")
    flying.do(200000)
    assert flying.all(EndTurnRecord) == []


def test_the_end_of_the_call_says_what_is_left(flying: ListRunner) -> None:
    """Words in the buffer are dropped with a trace; cuts stay in the list and are counted."""
    add(flying, 1500)
    flying.do(2600, 'heard "also"')
    effects = flying.do(2700, "hang-up")
    assert effects == (
        Discard("hung_up", "also"),
        Note("unanswered", "1"),
        EndTurnRecord(1, "", False, "hung_up"),
    )


@pytest.mark.parametrize(
    "line", ['final "hello"', "onset", "tick", 'run-ended "A list."', "hang-up"]
)
def test_nothing_happens_after_the_call(flying: ListRunner, line: str) -> None:
    """An event in the queue behind the hang-up must not start a run for nobody."""
    flying.do(2000, "hang-up")
    effects = flying.do(2100, line)
    assert [effect.kind for effect in effects if isinstance(effect, Note)] == ["after_hang_up"]
    assert (len(effects), flying.ctx.deadline) == (1, None)
