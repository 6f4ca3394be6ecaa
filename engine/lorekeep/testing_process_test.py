"""Processes of the tests."""

from pathlib import Path

from lorekeep.testing_process import start_engine, working_process


def test_a_killed_process_does_nothing_after_its_end_is_reported():
    for _ in range(5):
        process = start_engine("work")
        assert process.stdout is not None and b"ready" in process.stdout.readline()
        working = working_process(process.pid)
        process.kill()
        assert process.wait() == -9
        assert not Path(f"/proc/{working}").exists()
