"""The reply list's database: what a call must not lose when its process dies at any line."""

from jev_turn.replies.store.calls import (
    CallInfo,
    CallInUse,
    forget_calls,
    forget_expired,
    forget_peer,
    list_calls,
)
from jev_turn.replies.store.database import Database
from jev_turn.replies.store.export import export_call, export_peer
from jev_turn.replies.store.holder import EXPIRES_AFTER
from jev_turn.replies.store.memory import Memory, MemoryBlock, MemorySummary
from jev_turn.replies.store.saved import Saved, SavedDiscard, SavedTurn
from jev_turn.replies.store.store import ReplyStore
from jev_turn.replies.store.turns import CRASHED, Recovered

__all__ = [
    "CRASHED",
    "EXPIRES_AFTER",
    "CallInUse",
    "CallInfo",
    "Database",
    "Memory",
    "MemoryBlock",
    "MemorySummary",
    "Recovered",
    "ReplyStore",
    "Saved",
    "SavedDiscard",
    "SavedTurn",
    "export_call",
    "export_peer",
    "forget_calls",
    "forget_expired",
    "forget_peer",
    "list_calls",
]
