"""What is asked for: parameters, what they choose, and what the answer rests on."""
