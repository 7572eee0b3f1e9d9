"""The work of coders: what is assigned, what comes next, when it is due, and how far it is."""
