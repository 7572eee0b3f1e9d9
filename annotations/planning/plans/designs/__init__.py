"""Who codes which text: a proposal by design, quotas, pairs and strata, as a pure function of names and a seed."""
