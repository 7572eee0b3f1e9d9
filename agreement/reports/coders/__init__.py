"""Coders: who agrees with whom, in which text, with which chains, and how long they take."""
