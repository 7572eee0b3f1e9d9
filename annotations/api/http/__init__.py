"""How the API speaks HTTP: who asks, what is asked for, repeated and conditional requests, problems, limits."""
