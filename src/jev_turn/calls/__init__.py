"""``jev-turn calls``: what is kept of finish-turn calls, and how to get rid of it."""
