"""What coders link: chains of markables, and relations between them."""
