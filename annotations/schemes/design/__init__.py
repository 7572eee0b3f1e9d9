"""Help for managers who design a scheme."""
