"""Plans of rounds: designs that assign texts to coders, and the changes that a plan makes."""
