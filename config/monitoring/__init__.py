"""The state of a server: health, metrics, logs."""
