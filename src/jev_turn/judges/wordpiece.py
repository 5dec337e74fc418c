"""WordPiece: split words into the pieces of a BERT vocabulary, without a tokenizer package."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD = 100
CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """The uncased BERT tokenizer: clean, lower-case, strip accents, split, longest match first.

    Args:
        vocabulary: The pieces; a piece's place is its number.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self.cls, self.sep = self._ids[CLS], self._ids[SEP]
        self._unknown = self._ids[UNKNOWN]
        self._seen: dict[str, list[int]] = {}

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Read a vocabulary file, one piece a line."""
        return cls(path.read_text(encoding="utf-8").rstrip("\n").split("\n"))

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of ``text``, without special tokens."""
        return [number for word in split_words(text) for number in self._word(word)]

    def _word(self, word: str) -> list[int]:
        known = self._seen.get(word)
        if known is None:
            known = self._pieces(word)
            if len(self._seen) < 20_000:
                self._seen[word] = known
        return known

    def _pieces(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            found.append(number)
            start = end
        return found


def split_words(text: str) -> list[str]:
    """Split ``text`` as BERT does: at white space, around punctuation and CJK characters."""
    spaced = "".join(_spaced(char) for char in text)
    plain = (
        char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn"
    )
    lowered = "".join(plain).lower()
    return "".join(f" {char} " if _is_punctuation(char) else char for char in lowered).split()


def _spaced(char: str) -> str:
    code = ord(char)
    if char in "\t\n\r":
        return " "
    if code == 0xFFFD or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if char.isspace():
        return " "
    return f" {char} " if any(low <= code <= high for low, high in CJK) else char


def _is_punctuation(char: str) -> bool:
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")
