"""Which documents are coded by whom, and in which state: read at once, and followed from look to look."""
