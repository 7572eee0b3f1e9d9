"""The assignment of texts to coders by design, quotas, pairs and strata: a pure function of names and a seed."""
