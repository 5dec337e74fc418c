"""WordPiece against vectors of the reference tokenizer, and against the tokenizer itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from jev_turn.judges import wordpiece
from jev_turn.judges.embedded_text import AGENT_PIECES, USER_PIECES, encode, normalise
from jev_turn.judges.wordpiece import WordPiece, split_words

VOCABULARY = Path(wordpiece.__file__).parent / "weights/vocab.txt"
VECTORS = [
    ("hello world", [7592, 2088]),
    ("i don't know", [1045, 2123, 1005, 1056, 2113]),
    ("what's", [2054, 1005, 1055]),
    ("unaffable café", [14477, 20961, 3468, 7668]),
    ("straße naïve", [2358, 27807, 15743]),
    ("uh huh mhm", [7910, 9616, 1049, 14227]),
    ("1 2 3 10", [1015, 1016, 1017, 2184]),
    ("o'clock", [1051, 1005, 5119]),
    ("日本 ok", [1864, 1876, 7929]),
    ("x" * 101, [100]),
    ("\u200bzero\x00width", [5717, 9148, 11927, 2232]),
    (" a\tb\nc ", [1037, 1038, 1039]),
    ("", []),
]


@pytest.fixture(scope="module")
def pieces() -> WordPiece:
    """The packaged vocabulary."""
    return WordPiece.load(VOCABULARY)


@pytest.mark.parametrize(("text", "ids"), VECTORS)
def test_pieces_are_the_reference_tokenizers(pieces: WordPiece, text: str, ids: list[int]) -> None:
    """The same text gives the same numbers as the tokenizer that the base was trained with."""
    assert pieces.ids(text) == ids


def test_random_text_is_split_as_by_the_reference(pieces: WordPiece) -> None:
    """Where the reference is installed (the training extra), random text agrees too."""
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]
    numbered = {piece: number for number, piece in enumerate(vocabulary)}
    reference = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbered, unk_token="[UNK]"))
    reference.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    reference.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    rng = random.Random(1)
    for _ in range(2000):
        codes = [rng.choice((rng.randrange(0x250), rng.randrange(0x4E00, 0x4E40))) for _ in "x" * 9]
        text = "".join(map(chr, codes)).replace("[", "")
        assert pieces.ids(text) == reference.encode(text, add_special_tokens=False).ids, repr(text)


def test_punctuation_stands_alone() -> None:
    """Every punctuation mark is a word of its own, accents and case are dropped."""
    assert split_words("É, don't!") == ["e", ",", "don", "'", "t", "!"]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Wait, stop!", "wait stop"),
        ("Uh-huh.", "uh huh"),
        ("uhh", "um"),
        ("Hmm, uh-huh, uh", "um uh huh um"),
        ("Umm… emm", "um um"),
        ("Mhmm", "mhm"),
        ("Six people", "six people"),
        ("6 people", "six people"),
        ("at 7:30", "at seven o'clock"),
        ("twenty five", "25"),
        ("the yearly one", "the yearly one"),
        ("double trouble", "double trouble"),
        ("$2,500", "1 2 3 4"),
        ("I don\u2019t know", "i don't know"),
        ("...", ""),
    ],
)
def test_casing_punctuation_and_figures_carry_nothing(said: str, written: str) -> None:
    """Words are written in one form, whichever recogniser wrote them."""
    assert normalise(said) == written


@pytest.mark.parametrize(
    "said",
    ["four one five five five oh", "415 550", "415-550", "4 1 5 5 5 0", "four one double five 50"],
)
def test_digits_are_counted_however_they_are_written(said: str) -> None:
    """A run of three or more digits becomes its running count."""
    assert normalise(f"it's {said}") == "it's 1 2 3 4 5 6"


def test_long_speech_keeps_its_last_words(pieces: WordPiece) -> None:
    """The input is bounded, and what was said last decides."""
    ids, segments = encode(pieces, "agent " * 900, "first " + "word " * 900)
    assert len(ids) == len(segments) == AGENT_PIECES + USER_PIECES + 3
    assert segments.count(1) == USER_PIECES + 1
    assert pieces.ids("first")[0] not in ids
