"""Conversations in virtual time: cases, random calls and the clock that they run on."""
