"""What was computed and how, in words for a paper, with its sources."""
