"""HTTP for the API: authentication, idempotent and conditional requests, problem details, rate limits."""
