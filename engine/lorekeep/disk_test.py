"""A full disk is detected by errno, and in messages that contain it."""

import errno
import os

import pytest

from lorekeep import disk


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_detected(number: int):
    assert disk.is_full(OSError(number, os.strerror(number)))
    assert disk.errno_in(f"I/O error: {os.strerror(number)}") == number
    assert disk.errno_in(f"I/O error (os error {number})") == number


def test_another_error_is_not_a_full_disk():
    assert not disk.is_full(OSError(errno.EIO, "x"))
    assert disk.errno_in("I/O error (os error 2810)") == errno.EIO
