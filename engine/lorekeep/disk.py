"""A full disk: no space is left, or the quota is used up."""

import errno
import os
import re

_FULL_DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT)


def is_full(error: OSError) -> bool:
    return error.errno in _FULL_DISK_ERRNOS


def errno_in(message: str) -> int:
    """The errno of a full disk from a library's message; EIO if the message has none."""
    for number in _FULL_DISK_ERRNOS:
        if os.strerror(number) in message or re.search(rf"\bos error {number}\b", message):
            return number
    return errno.EIO
