"""Pages of rounds and of who codes what."""
