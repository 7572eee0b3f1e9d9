"""The work of coders: assignments, the next text, due dates and progress."""
