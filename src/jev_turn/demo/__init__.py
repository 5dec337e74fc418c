"""The demo: conversations spoken by a voice, heard by a microphone, and what became of them."""
