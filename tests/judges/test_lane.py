"""Who is out, who waits, who is replaced."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.fake_judges import ask

from jev_turn.judges.lane import Lane, Offer
from jev_turn.turn.effects import AskJudge


def lane() -> Lane[AskJudge]:
    """Two out, four over the agent."""
    return Lane({"listening": 2, "speaking": 4})


def test_two_go_out_and_the_third_waits() -> None:
    """While the agent listens two asks are out at once (section 12)."""
    here = lane()
    assert here.offer(ask(1)).send and here.offer(ask(2)).send
    assert here.offer(ask(3)) == Offer()


def test_four_go_out_over_the_agents_speech() -> None:
    """Each partial over the agent gets its own judgement, four at once (S1-I02, I08)."""
    here = lane()
    sent = [here.offer(ask(n, "speaking")).send is not None for n in range(1, 6)]
    assert sent == [True, True, True, True, False]


def test_a_newer_ask_replaces_the_waiting_one() -> None:
    """The words of the waiting ask are out of date before it is sent."""
    here = lane()
    one, two, three, four = (ask(n) for n in range(1, 5))
    for item in (one, two, three):
        here.offer(item)
    assert here.offer(four) == Offer(superseded=three)
    assert here.ended(one) is four


def test_a_free_place_goes_to_the_waiting_ask_and_to_no_other() -> None:
    """An ask of the smaller bundle waits until two are out, not four."""
    here = lane()
    loud = [ask(n, "speaking") for n in range(4)]
    quiet = ask(9)
    for item in (*loud, quiet):
        here.offer(item)
    assert [here.ended(item) for item in loud] == [None, None, quiet, None]


def test_an_end_counts_once() -> None:
    """A replaced or already ended ask frees no place."""
    here = lane()
    one, two, three = (ask(n) for n in range(1, 4))
    for item in (one, two, three):
        here.offer(item)
    assert here.ended(three) is None
    assert here.ended(one) is three
    assert here.ended(one) is None
    assert here.open == (two, three)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["listening", "speaking", "end"]), max_size=40))
def test_every_ask_is_sent_or_replaced(steps: list[str]) -> None:
    """Nothing is lost, nothing ends twice, the newest is never replaced by an older one."""
    here, sent, gone, made = lane(), [], [], 0
    out: list[AskJudge] = []
    for step in steps:
        if step != "end":
            made += 1
            offer = here.offer(ask(made, step))  # type: ignore[arg-type]
            gone += [offer.superseded.ask] if offer.superseded else []
            out += [offer.send] if offer.send else []
            sent += [offer.send.ask] if offer.send else []
        elif out:
            following = here.ended(out.pop(0))
            out += [following] if following else []
            sent += [following.ask] if following else []
        assert len(out) <= 4
    left = [item.ask for item in here.open if item not in out]
    assert sorted(sent + gone + left) == list(range(1, made + 1))
    assert sent == sorted(sent)
