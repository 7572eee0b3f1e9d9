"""What the log says of the work on a project, by text: for tests in which a text is coded in one round."""

from annotations.coding.active_time import ProjectWork, read_work
from annotations.models import Coding, Project


def work_by_text(project: Project) -> ProjectWork:
    found = read_work(project)
    text_of = dict(Coding.objects.of_people().filter(text__project=project).values_list("pk", "text_id"))
    return ProjectWork(
        {(text_of[coding], coder): activity for (coding, coder), activity in found.activities.items()},
        {(text_of[coding], coder): times for (coding, coder), times in found.judgement_times.items()},
    )
