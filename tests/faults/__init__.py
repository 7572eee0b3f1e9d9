"""Tests of killed processes, restarted databases, full disks and wrong clocks."""
