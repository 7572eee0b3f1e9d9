import random
import pytest
from tests.shared.schemes import RICH, rich_project, send_any
from annotations.models import *
from annotations.projects.members import add_member
from annotations.planning.assignments import assign_texts
from tests.shared.agreeing import hand_in
from agreement.data.extract import extract

@pytest.mark.django_db
def test_smoke(signed_in):
    draw = random.Random(5)
    project = rich_project("rich")
    people = [User.objects.get_or_create(username=n)[0] for n in ("alice","bob","carol","charlie")]
    for p in people:
        add_member(project, p, Membership.Role.MANAGER if p.username=="charlie" else Membership.Role.CODER)
    assign_texts(project, project.texts.all(), people[:-1])
    for coding in Coding.objects.filter(text__project=project).select_related("coder","text__project"):
        print(send_any(draw, coding, RICH, 120))
    hand_in(project)
    client = signed_in(people[-1])
    bad = []
    for q in [o.key for o in extract(project).questions]:
        for un in ("", "label"):
            ex = extract(project, question=q, unasked=un or "missing")
            print(q, un, ex.kind, ex.categories, [ (len(c.unit), c.n_unasked, c.n_unanswered) for t in ex.texts for c in t.answers.coder_answers])
            for page in ("", "items/", "coders/", "coders/alice/bob/", "categories/", "texts/", "course/", "data/", "methods/", "grid/", "compare/", "difference/", "coreference/"):
                r = client.get(f"/projects/rich/agreement/{page}?question={q}&unasked={un}")
                if r.status_code != 200 and not (q == "count" and un): bad.append((q, un, page, r.status_code, r.context and r.context.get("error")))
    print(bad)
    assert not bad
