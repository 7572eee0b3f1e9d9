"""What happens to people's work when processes are killed, databases restart, disks are full and clocks are wrong."""
