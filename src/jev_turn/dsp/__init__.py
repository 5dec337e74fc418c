"""The acoustic gate's arithmetic: levels, noise floor, hold, burst rule. No Pipecat, no clock."""
