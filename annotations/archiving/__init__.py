"""A whole project -> its archive -> an equal project."""

from annotations.archiving.reading import Archive, archive_project
from annotations.archiving.restoring import Restored, restore_project

__all__ = ["Archive", "Restored", "archive_project", "restore_project"]
