"""Pipecat processors that take turns; the only code that knows Pipecat's frames."""
