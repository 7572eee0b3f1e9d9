"""What one client or person can ask of a server: bodies, time, sign-ins, passwords."""
