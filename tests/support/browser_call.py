"""A call from a real browser, and what came of it: on the page, on the wire and to the ear."""

from __future__ import annotations

import json
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jev_turn.demo.clips import make
from jev_turn.demo.labels import Stretch
from jev_turn.demo.microphone import ROOM_DB
from jev_turn.demo.mixing import RATE, Placed, mix, samples
from jev_turn.demo.plan import Noise, Voice
from jev_turn.demo.sounds import room_noise
from jev_turn.embedded.voice import EmbeddedVoice
from support.chromium import Tab

QUIET_DB = -50.0
"""Under this the bot is not to be heard; its words are at -30 dBFS and more."""

WATCH = """
window.seen = [];
window.levels = [];
const makeChannel = RTCPeerConnection.prototype.createDataChannel;
RTCPeerConnection.prototype.createDataChannel = function (...given) {
  const channel = makeChannel.apply(this, given);
  channel.addEventListener("message", ({ data }) => window.seen.push([performance.now(), data]));
  this.addEventListener("track", ({ track }) => {
    const context = new AudioContext();
    const ear = context.createAnalyser();
    ear.fftSize = 1024;
    context.createMediaStreamSource(new MediaStream([track])).connect(ear);
    const heard = new Float32Array(ear.fftSize);
    setInterval(() => {
      ear.getFloatTimeDomainData(heard);
      const power = heard.reduce((sum, one) => sum + one * one, 0) / heard.length;
      window.levels.push([performance.now(), 10 * Math.log10(power + 1e-12)]);
    }, 20);
  });
  return channel;
};
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wanted) => {
  const stream = await ask(wanted);
  window.zero = performance.now();
  return stream;
};
"""
ROWS = """[...document.querySelectorAll("#transcript li")].map((row) => ({
  who: row.dataset.who,
  text: row.querySelector("span").textContent,
  cut: [...row.querySelectorAll(".cut")].map((one) => one.textContent).join(" "),
}))"""


@dataclass(frozen=True, slots=True)
class Heard:
    """A call as its caller saw and heard it. Times are ms since the microphone opened.

    Attributes:
        rows: The page's transcript: ``who``, ``text`` and the ``cut`` part of it.
        messages: (time, type, data) of what the bot told the page.
        levels: (time, dBFS) of the sound that arrived, every 20 ms.
    """

    rows: tuple[dict[str, str], ...]
    messages: tuple[tuple[float, str, dict[str, Any]], ...]
    levels: tuple[tuple[float, float], ...]

    def said_by(self, who: str) -> list[str]:
        """Return somebody's rows."""
        return [row["text"] for row in self.rows if row["who"] == who]

    def when(self, kind: str) -> list[float]:
        """Return when the bot told something."""
        return [at for at, name, _ in self.messages if name == kind]

    def pauses(self, begin_ms: float, end_ms: float) -> list[tuple[float, float]]:
        """Return (begin, length) of every stretch in which nothing was to be heard."""
        found: list[tuple[float, float]] = []
        quiet_since: float | None = None
        inside = [(at, db) for at, db in self.levels if begin_ms <= at <= end_ms]
        for at, db in [*inside, (end_ms, 0.0)]:
            if db >= QUIET_DB and quiet_since is not None:
                found.append((quiet_since, at - quiet_since))
            quiet_since = None if db >= QUIET_DB else at if quiet_since is None else quiet_since
        return found


@dataclass(frozen=True, slots=True)
class Microphone:
    """A file for a browser's microphone.

    Attributes:
        path: WAV, 16-bit mono at 16 kHz.
        spoken: For each line its loud parts, ms since the microphone opened.
    """

    path: Path
    spoken: tuple[tuple[Stretch, ...], ...]

    def flags(self) -> list[str]:
        """Return what makes Chromium take the file for its microphone, once."""
        return [
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-audio-capture={self.path}%noloop",
            "--autoplay-policy=no-user-gesture-required",
        ]


def record(path: Path, ms: int, lines: Sequence[tuple[int, Voice | Noise]]) -> Microphone:
    """Speak lines into a quiet room.

    Args:
        path: Where the file goes.
        ms: Its length.
        lines: When each begins, ms, and what it is.
    """
    voice = EmbeddedVoice()
    clips = [(at, make(sound, voice)) for at, sound in lines]
    room = mix(0, [Placed(room_noise(ms, seed=1), 0, ROOM_DB)])
    track = np.zeros(samples(ms), np.int32) + room[: samples(ms)]
    for at, clip in clips:
        track[samples(at) : samples(at) + len(clip.sound)] += clip.sound
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.clip(track, -32768, 32767).astype(np.int16).tobytes())
    return Microphone(
        path, tuple(tuple(one.moved(at) for one in clip.stretches) for at, clip in clips)
    )


def open_page(tab: Tab, url: str, script: str = "") -> None:
    """Load the page and wait until it can be used.

    Args:
        tab: A browser's.
        url: The bot's.
        script: To run in front of the page's own.
    """
    tab.do("Page.enable")
    if script:
        tab.do("Page.addScriptToEvaluateOnNewDocument", source=script)
    tab.do("Page.navigate", url=url)
    tab.until("document.readyState === 'complete' && !!document.querySelector('#connect')", 20)


def press(tab: Tab, button: str) -> None:
    """Press a button of the page, as a person does."""
    tab.value(f"document.querySelector('#{button}').click()")


def heard(tab: Tab) -> Heard:
    """Collect what came of the call so far."""
    zero = tab.value("window.zero")
    told = [(at - zero, json.loads(text)) for at, text in tab.value("window.seen")]
    return Heard(
        rows=tuple(tab.value(ROWS)),
        messages=tuple((at, one["type"], one.get("data") or {}) for at, one in told),
        levels=tuple((at - zero, db) for at, db in tab.value("window.levels")),
    )
