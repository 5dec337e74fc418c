"""The turn machine: pure, standard library only, no clock."""
