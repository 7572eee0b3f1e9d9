"""Pages of accounts and members."""
