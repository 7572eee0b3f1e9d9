"""The demo projects as data: one JSON file each in `projects/`, loaded by `manage.py load_demo`."""
