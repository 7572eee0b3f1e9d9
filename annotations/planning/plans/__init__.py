"""Plans of rounds: who codes which text, by which design, and what a plan changes."""
