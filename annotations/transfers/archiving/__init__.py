"""Write the archive of a whole project, and restore a project from an archive."""

from annotations.transfers.archiving.restoring import RestoreReport, restore_project
from annotations.transfers.archiving.tables import Archive, archive_project

__all__ = ["Archive", "RestoreReport", "archive_project", "restore_project"]
