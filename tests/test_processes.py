"""Work that a second process does the half of. Each test has a process with one thread, as a worker has."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from annotations.processes import LEAST

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a second process would not help here")

BEGIN = f"""
import os, signal
from annotations.processes import halved

FIRST = os.getpid()
ITEMS = range({LEAST} + 1)


def children():
    return open(f"/proc/self/task/{{FIRST}}/children").read().split()
"""


def run(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | settings,
    )


def test_two_processes_give_what_one_does_in_the_same_order():
    done = run("""
        found = list(halved(lambda item: (item * item, os.getpid()), ITEMS))
        assert [square for square, _ in found] == [item * item for item in ITEMS]
        of = {pid for _, pid in found}
        assert len(of) == 2 and FIRST in of
        assert not children()
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_few_items_and_what_is_not_worth_it_are_not_shared():
    done = run("""
        assert {*halved(lambda item: os.getpid(), ITEMS[:-2])} == {FIRST}
        assert {*halved(lambda item: os.getpid(), ITEMS, worth=False)} == {FIRST}
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_with_threads_does_not_share():
    done = run("""
        import threading
        over = threading.Event()
        threading.Thread(target=over.wait).start()
        assert {*halved(lambda item: os.getpid(), ITEMS)} == {FIRST}
        over.set()
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_killed_second_process_does_not_bring_the_first_makes():
    done = run("""
        ITS = next(item for item, pid in halved(lambda item: (item, os.getpid()), ITEMS) if pid != FIRST)

        def work(item):
            if item == ITS + 70 and os.getpid() != FIRST:
                os.kill(os.getpid(), signal.SIGKILL)
            return item, os.getpid()

        found = list(halved(work, ITEMS))
        assert [item for item, _ in found] == list(ITEMS)
        print(len({pid for _, pid in found}))
        assert not children()
    """)
    assert (done.returncode, done.stdout) == (0, "2\n")
    assert done.stderr.count("The second process has ended early") == 1


@pytest.mark.parametrize("at", [3, 40])
def test_an_error_is_raised_in_the_first_process_whichever_met_it(at):
    done = run(f"""
        def work(item):
            if item == {at}:
                raise LookupError(f"{{item}} is missing")
            return item

        made = halved(work, ITEMS)
        taken = []
        try:
            for one in made:
                taken.append(one)
        except LookupError as error:
            print(error)
        assert taken == list(range({at}))
        assert not children()
    """)
    assert (done.returncode, done.stdout) == (0, f"{at} is missing\n")


def test_where_no_second_process_can_be_made_the_first_does_all():
    done = run("""
        def refused():
            raise BlockingIOError(11, "Resource temporarily unavailable")

        before = os.listdir("/proc/self/fd")
        os.fork = refused
        assert {*halved(lambda item: os.getpid(), ITEMS)} == {FIRST}
        assert os.listdir("/proc/self/fd") == before
    """)
    assert (done.returncode, done.stderr.count("Resource temporarily unavailable")) == (0, 1)


def test_it_does_not_matter_that_ended_processes_are_ignored():
    done = run("""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        assert list(halved(lambda item: item, ITEMS)) == list(ITEMS)
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_signal_amid_the_fork_is_for_the_first_process_alone():
    done = run("""
        fork = os.fork

        def interrupted():
            pid = fork()
            os.kill(os.getpid(), signal.SIGINT)  # whichever this is
            return pid

        os.fork = interrupted
        try:
            list(halved(lambda item: item, ITEMS))
        except KeyboardInterrupt:
            print("interrupted", os.getpid() == FIRST, flush=True)
        finally:
            print("ended", os.getpid() == FIRST, flush=True)
    """)
    assert (done.returncode, done.stdout) == (0, "interrupted True\nended True\n")


def test_who_leaves_early_leaves_no_process_behind():
    done = run("""
        made = halved(lambda item: item, ITEMS)
        assert next(made) == 0 and children()
        made.close()
        assert not children()
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_second_process_ends_with_the_first():
    done = run("""
        made = halved(lambda item: b"x" * 100_000, ITEMS)
        next(made)
        assert children()
        print("begun", flush=True)
        os.kill(FIRST, signal.SIGKILL)
    """)
    # The second holds the output open too: as long as it is there, `run` waits for more, and then raises.
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "begun\n")


def test_what_two_processes_export_and_read_is_what_one_does(tmp_path):
    done = run(
        """
        import dataclasses, io, django
        django.setup()
        from django.core.management import call_command
        from annotations import processes
        from annotations.exporting import export
        from annotations.formats import FORMATS
        from annotations.importing import read_sources, sources_of
        from annotations.models import Project

        call_command("migrate", verbosity=0)
        call_command("load_demo", verbosity=0)
        project, begun = Project.objects.get(slug="dialogue"), []

        def exported(key, least):
            processes.LEAST, out = least, io.BytesIO()
            return export(project, key, out, unfinished=True), out.getvalue()

        def brought(key, files, least):
            processes.LEAST = least
            return read_sources(key, files, "parent")

        beside = processes.beside
        processes.STRETCH = 2
        processes.beside = lambda work: begun.append(work) or beside(work)
        apart = [key for key, format_ in FORMATS.items() if format_.apart]
        for key in apart:
            whole = exported(key, 10**6)
            assert whole == exported(key, 1)
            files = sources_of([("all.zip", whole[1])])
            for number in range(0, len(files), 3):
                files[number] = dataclasses.replace(files[number], data=b"\\xff")
            alone = brought(key, files, 10**6)
            assert alone == brought(key, files, 1)
            assert alone.coded and len(alone.failures) > 1
        assert len(begun) == 2 * len(apart) > 4
        """,
        DATA_DIR=str(tmp_path),
        LOCAL="1",
        DJANGO_SETTINGS_MODULE="config.settings",
        DATABASE_URL=f"sqlite:///{tmp_path}/db",
    )
    assert done.returncode == 0, done.stderr
