"""Asking a classifier about the words heard so far, and never mistaking silence for an answer."""
