"""Members, invitations, accounts, API keys, and the names under which coders see each other."""
