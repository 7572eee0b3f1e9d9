"""What pages show that may take long to compute: tables and charts, which can be kept and handed on as JSON."""
