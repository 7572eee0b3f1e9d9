"""What managers are shown while they design a scheme."""
