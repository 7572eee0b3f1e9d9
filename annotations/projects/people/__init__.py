"""Members, invitations, accounts, API keys, and coded names of peers."""
