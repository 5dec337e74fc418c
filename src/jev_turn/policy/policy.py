"""Every setting in force, with its source, and the typed settings made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jev_turn.errors import PolicyFileError
from jev_turn.policy.document import Entries, Layer, Settings, find
from jev_turn.policy.entry import Setting
from jev_turn.policy.keys import config_classes, keys_by_field
from jev_turn.policy.order import check_order, out_of_order
from jev_turn.policy.phrases import phrases_for
from jev_turn.policy.sources import from_request

if TYPE_CHECKING:
    from jev_turn.dsp.config import GateConfig
    from jev_turn.judges.config import JudgeConfig
    from jev_turn.replies.config import MouthConfig, ReplyConfig
    from jev_turn.turn.config import TurnConfig


@dataclass(frozen=True, slots=True)
class Refusal:
    """A live value that was left out.

    Attributes:
        key: Its key, as given.
        value: The value, as given.
        reason: What was expected.
    """

    key: str
    value: object
    reason: str


@dataclass(frozen=True, slots=True)
class Policy:
    """Settings in force. Build it with ``load_policy``.

    Attributes:
        entries: Unit and range by key.
        layers: Where values come from, the strongest last.
        live: Values tuned during a call, over all layers.
        judge_model: The judge whose overrides apply; ``None`` for no judge in particular.
        in_force: The winning setting by key.
    """

    entries: Entries = field(repr=False)
    layers: tuple[Layer, ...] = field(repr=False)
    live: Settings = field(default_factory=dict)
    judge_model: str | None = None
    in_force: Settings = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found: dict[str, Setting] = {}
        for layer in (*self.layers, Layer(self.live)):
            found |= layer.values
            found |= layer.overrides.get(self.judge_model or "", {})
        check_order(self.entries, found)
        object.__setattr__(self, "in_force", MappingProxyType(found))

    def value(self, key: str) -> Any:
        """Return the value in force under a dotted key."""
        return self._setting(key).value

    def source(self, key: str) -> str:
        """Say who set the value in force: ``default``, a file, ``environment NAME``..."""
        return self._setting(key).source

    def provenance(self, key: str) -> str:
        """Say why the value in force is what it is."""
        return self._setting(key).provenance

    def as_dict(self) -> dict[str, object]:
        """Return every value in force by key, ready for JSON."""
        return {key: _plain(setting.value) for key, setting in self.in_force.items()}

    def for_judge(self, model: str) -> Policy:
        """Return the policy with the overrides that belong to one judge.

        Args:
            model: The judge's full model name; overrides of another judge never apply.

        Returns:
            The policy; the same values if there are no overrides for this judge.
        """
        return replace(self, judge_model=model)

    def with_live(self, wanted: object) -> tuple[Policy, tuple[Refusal, ...]]:
        """Tune the call by values from outside, such as a browser's stored ones. Never raises.

        They replace the values of the last tuning; an empty mapping resets to the layers.

        Args:
            wanted: Dotted keys and JSON values.

        Returns:
            The tuned policy, and what was left out because its key is unknown, its value is not
            finite, of the wrong type or out of range, or two values contradict each other.
        """
        if not isinstance(wanted, Mapping):
            return replace(self, live={}), (Refusal("", wanted, "expected a mapping"),)
        live: dict[str, Setting] = {}
        refused: list[Refusal] = []
        for key, raw in wanted.items():
            try:
                live |= from_request({key: raw}, self.entries, "live")
            except PolicyFileError as error:
                refused.append(Refusal(str(key), raw, error.reason))
        while pair := out_of_order(self.entries, {**self._untuned(), **live}):
            for key in pair:
                if key in live:
                    reason = f"{pair[0]} may not be above {pair[1]}"
                    refused.append(Refusal(key, live.pop(key).value, reason))
        return replace(self, live=live), tuple(refused)

    def _untuned(self) -> Settings:
        """Return the winning settings of the layers alone."""
        return replace(self, live={}).in_force

    def turn(self, *, language: str = "en", **overrides: object) -> TurnConfig:
        """Build the turn machine's settings.

        Args:
            language: The recogniser's language tag; chooses the stop phrases.
            **overrides: Fields of ``TurnConfig`` that the bot's author sets in code.

        Returns:
            The settings.

        Raises:
            PolicyFileError: An override is unknown, wrong or contradicts another value.
        """
        from jev_turn.turn.config import TurnConfig

        values = self._fields(TurnConfig, overrides)
        values["stop_words"] = phrases_for(values["stop_words"], language)
        return TurnConfig(**values)

    def gate(self, **overrides: object) -> GateConfig:
        """Build the acoustic gate's settings; ``overrides`` and errors as in ``turn``."""
        from jev_turn.dsp.config import GateConfig

        return GateConfig(**self._fields(GateConfig, overrides))

    def judge(self, **overrides: object) -> JudgeConfig:
        """Build the judge's settings; ``overrides`` and errors as in ``turn``."""
        from jev_turn.judges.config import JudgeConfig

        return JudgeConfig(**self._fields(JudgeConfig, overrides))

    def replies(self, **overrides: object) -> ReplyConfig:
        """Build the reply list's settings; ``overrides`` and errors as in ``turn``."""
        from jev_turn.replies.config import ReplyConfig

        return ReplyConfig(**self._fields(ReplyConfig, overrides))

    def mouth(self, **overrides: object) -> MouthConfig:
        """Build the mouth's settings; ``overrides`` and errors as in ``turn``."""
        from jev_turn.replies.config import MouthConfig

        return MouthConfig(**self._fields(MouthConfig, overrides))

    def _setting(self, key: str) -> Setting:
        find(self.entries, key, None, "policy")
        return self.in_force[key]

    def _fields(self, config: type[Any], overrides: Mapping[str, object]) -> dict[str, Any]:
        sections = config_classes()[config]
        keys = keys_by_field(config, sections, self.in_force)
        changed = {keys.get(name, f"{sections[0]}.{name}"): raw for name, raw in overrides.items()}
        settings = {**self.in_force, **from_request(changed, self.entries, f"{sections[-1]}()")}
        check_order(self.entries, settings)
        own = {key for key in settings if key.split(".")[0] in sections}
        for key in sorted(own.difference(keys.values()).union(keys.values() - settings.keys())):
            reason = "unknown key" if key in own else "missing key"
            raise PolicyFileError("policy", key, None, reason)
        return {name: settings[key].value for name, key in keys.items()}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: list(phrases) for key, phrases in value.items()}
    return value
