"""What a call leaves behind: its record, and what a person sees of it.

``CallRecord`` writes and ``read`` reads; both need the standard library only. The rest is imported
from its own module: ``live`` and ``table`` for a terminal (rich), ``picture`` for a browser
(plotly), ``oracle`` for words lost or doubled.
"""

from jev_turn.record.reader import read
from jev_turn.record.schema import VERSION, Record, RecordError, check
from jev_turn.record.writer import CallRecord

__all__ = ["VERSION", "CallRecord", "Record", "RecordError", "check", "read"]
