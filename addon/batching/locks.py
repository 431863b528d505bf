"""Who works on what, across processes and machines: locks that the system takes back when their holder ends."""

from __future__ import annotations

import errno
import os
import sys
from hashlib import sha256
from pathlib import Path

from ..formats import BadFile

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
UNSUPPORTED = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}


class Locks:
    """Any number of locks in one file: each name is a byte of it, which need not be there."""

    def __init__(self, path: Path):
        # One descriptor for good: the system drops all of a process's locks when it closes any descriptor of the file.
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self._held: set[str] = set()

    def hold(self, name: str) -> bool:
        """Take a lock, or return False at once if another process has it.  Raises BadFile if nobody can tell."""
        try:
            self._change(name, True)
        except OSError as error:
            if error.errno in HELD:
                return False
            if error.errno not in UNSUPPORTED:  # a disk that knows no locks: as if nobody else were there
                raise self._broken(error) from error
        self._held.add(name)
        return True

    def release(self, name: str) -> None:
        """Give a lock back.  Raises BadFile."""
        if name in self._held:
            self._held.remove(name)
            try:
                self._change(name, False)
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise self._broken(error) from error

    def close(self) -> None:
        """Give everything back."""
        os.close(self._file)
        self._held.clear()

    def _broken(self, error: OSError) -> BadFile:
        return BadFile(f"'{self._path}' cannot be locked: {error.strerror}. Start the run again with --resume once its "
                       "folder is there.")

    def _change(self, name: str, lock: bool) -> None:
        place = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:4], "big") >> 1
        if sys.platform == "win32":
            os.lseek(self._file, place, os.SEEK_SET)
            msvcrt.locking(self._file, msvcrt.LK_NBLCK if lock else msvcrt.LK_UNLCK, 1)
        else:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB if lock else fcntl.LOCK_UN, 1, place)
