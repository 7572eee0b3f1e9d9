"""Reports on coders: pairs, profiles, times, groups, self-agreement and models."""
