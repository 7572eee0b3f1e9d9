"""The pages on which managers see how reliable the data is, where not, why, and what to do."""
