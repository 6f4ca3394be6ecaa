"""Within bulk(), each text is read once and the garbage collector is paused; afterwards nothing is cached."""

import gc
import threading
from collections.abc import Callable, Iterator

import pytest

from lorekeep.bulk import bulk, once, reading


@pytest.fixture
def collecting() -> Iterator[None]:
    was = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was else gc.disable)()


def reader() -> tuple[list[str], Callable[[str], list[str]]]:
    """A cached function, and the texts that it has read."""
    read: list[str] = []

    @once
    def split(text: str) -> list[str]:
        read.append(text)
        return text.split()

    return read, split


def test_the_collector_is_not_paused_by_a_request(collecting: None) -> None:
    read, split = reader()
    with reading():
        split("a b")
        split("a b")
        assert read == ["a b"]
        assert gc.isenabled()
    split("a b")
    assert read == ["a b", "a b"]


def test_reads_each_text_once_and_keeps_nothing() -> None:
    read, split = reader()
    with bulk():
        assert [split("a b"), split("c"), split("a b")] == [["a", "b"], ["c"], ["a", "b"]]
        with bulk():  # nested
            split("c")
        assert read == ["a b", "c"]
    split("c")
    with bulk():
        split("c")
    assert read == ["a b", "c", "c", "c"]


def test_functions_keep_their_own_results() -> None:
    (_, one), (_, other) = reader(), (None, once(str.upper))
    with bulk():
        assert (one("a"), other("a"), one("a"), other("a")) == (["a"], "A", ["a"], "A")


def test_other_threads_do_not_see_cached_results() -> None:
    read, split = reader()
    with bulk():
        split("a")
        thread = threading.Thread(target=split, args=["a"])
        thread.start()
        thread.join()
    assert read == ["a", "a"]


def test_the_collector_is_paused_until_the_last_reader_ends(collecting: None) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def read() -> None:
        with bulk():
            inside.set()
            go_on.wait(60)

    thread = threading.Thread(target=read)
    thread.start()
    assert inside.wait(60)
    with pytest.raises(ValueError, match="damaged"), bulk():
        raise ValueError("damaged")
    assert not gc.isenabled()
    go_on.set()
    thread.join()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off(collecting: None) -> None:
    gc.disable()
    with bulk():
        pass
    assert not gc.isenabled()
