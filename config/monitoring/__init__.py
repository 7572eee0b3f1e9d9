"""What a server tells of itself: health, metrics, logs."""
