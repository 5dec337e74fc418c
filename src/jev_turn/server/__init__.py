"""Serves a bot to many callers: who may call, how many, for how long, and how it ends."""
