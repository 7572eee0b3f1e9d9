"""The demo projects as data: one JSON file each, loaded by `manage.py load_demo`."""
