"""Finish-turn's pure machines, standard library only and no clock; the store is the only I/O."""
