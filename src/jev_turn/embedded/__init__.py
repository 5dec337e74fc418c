"""Recogniser, voice and model that need no key and download nothing: the extra ``embedded``."""
