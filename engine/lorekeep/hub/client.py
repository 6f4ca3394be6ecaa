"""Client of a model hub: lists the files of one commit with sizes and hashes, and reads their bytes from any
offset. Error messages are sentences for users and never contain the token."""

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

# Environment read when the library is imported: no token but the given one, no telemetry, and plain HTTP
# only, whose ranges resume interrupted downloads.
os.environ.update(
    HF_HUB_OFFLINE="0",
    HF_HUB_DISABLE_IMPLICIT_TOKEN="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_XET="1",
)

import httpx2
from huggingface_hub import HfApi, get_session, hf_hub_url
from huggingface_hub.errors import (
    DisabledRepoError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

# Seconds without a byte before a connection counts as lost; slow hubs that keep sending are waited for.
CONNECT, SILENCE = 10.0, 30.0
_TIMEOUT = httpx2.Timeout(SILENCE, connect=CONNECT)


class HubError(Exception):
    """The hub did not deliver. `again`: a retry may succeed; `silent`: the hub did not answer in time;
    `gone`: the commit does not exist."""

    def __init__(self, reason: str, again: bool = False, silent: bool = False, gone: bool = False):
        super().__init__(reason)
        self.reason, self.again, self.silent, self.gone = reason, again, silent, gone


@dataclass(frozen=True)
class Remote:
    """A file on the hub. The key identifies its content: `sha256:...` of a large file, `git:...` of a small
    one, or its location."""

    path: str
    size: int | None
    key: str

    @property
    def length(self) -> int:
        """The size of a file whose metadata was read."""
        assert self.size is not None
        return self.size


class Hub:
    def __init__(self, url: str, token: str | None):
        self.url, self.token = url.rstrip("/"), token or False
        self.api = HfApi(endpoint=self.url, token=self.token, library_name="lorekeep")

    def files(self, name: str, commit: str | None) -> tuple[str, dict[str, Remote]]:
        """The commit (the newest unless one is named) and its files."""
        with self._hub_errors(name):
            # The library hands the timeout on to httpx2, which takes this too.
            timeout = cast(float, _TIMEOUT)
            info = self.api.model_info(name, revision=commit, timeout=timeout, files_metadata=True)
            sha = str(info.sha)
            if not re.fullmatch(r"[0-9a-f]{40,64}", sha):
                raise HubError(f"{self.url} does not say which commit of {name} it has")
            return sha, {
                file.rfilename: _remote(file, sha)
                for file in info.siblings or []
                if isinstance(file.rfilename, str)
            }

    def file_metadata(self, name: str, commit: str, path: str) -> Remote:
        """Size and hash of one file, for mirrors whose list lacks them."""
        with self._hub_errors(name):
            url = hf_hub_url(name, path, revision=commit, endpoint=self.url)
            found = self.api.get_hf_file_metadata(url=url, timeout=SILENCE)
            return Remote(path, found.size, _key(found.etag, commit, path))

    def read(
        self,
        name: str,
        commit: str,
        path: str,
        start: int,
        write: Callable[[bytes], None],
        restart: Callable[[], None],
    ) -> None:
        """Writes the bytes from `start` on, or from the beginning if the hub sends the whole file."""
        headers = build_hf_headers(token=self.token, library_name="lorekeep")
        # Uncompressed, since offsets in a compressed answer differ from those in the file.
        headers["Accept-Encoding"] = "identity"
        if start > 0:
            headers["Range"] = f"bytes={start}-"
        with self._hub_errors(name):
            url = hf_hub_url(name, path, revision=commit, endpoint=self.url)
            # Only the hub receives the token; redirects to other hosts go without it.
            with get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT) as response:
                hf_raise_for_status(response)
                if start > 0 and response.status_code != 206:
                    restart()
                for chunk in response.iter_bytes():
                    write(chunk)

    @contextlib.contextmanager
    def _hub_errors(self, name: str):
        try:
            yield
        except GatedRepoError as error:
            raise HubError(self._terms(name)) from error
        except RevisionNotFoundError as error:
            raise HubError(f"{self.url} has no such commit of {name}", gone=True) from error
        except DisabledRepoError as error:
            raise HubError(f"{self.url} has disabled {name}") from error
        except RepositoryNotFoundError as error:
            private = (
                "private and the token that was sent does not open it"
                if self.token
                else "private: then send private_hf_token"
            )
            raise HubError(
                f"{self.url} has no model {name}, or it is {private}. Names look like organisation/name"
            ) from error
        except HfHubHTTPError as error:
            raise self._status(name, error.response.status_code) from error
        except httpx2.TimeoutException as error:
            raise HubError(f"{self.url} did not answer in time", again=True, silent=True) from error
        except httpx2.RequestError as error:
            raise HubError(
                f"{self.url} cannot be reached, or broke off ({type(error).__name__})", again=True
            ) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise HubError(f"the answer of {self.url} about {name} cannot be read") from error

    def _status(self, name: str, status: int) -> HubError:
        if status == 401 and self.token:
            return HubError(f"{self.url} does not accept the token that was sent")
        if status in (401, 403):
            return HubError(self._terms(name))
        again = status in (408, 425, 429) or status >= 500
        return HubError(f"{self.url} answers {name} with status {status}", again=again)

    def _terms(self, name: str) -> str:
        whose = (
            "with the account that the token is of, which may read nothing of it yet"
            if self.token
            else "and send private_hf_token"
        )
        return f"{name} is not open to everybody: accept its terms at {self.url}/{name} {whose}"


def _remote(file, commit: str) -> Remote:
    sha256 = getattr(file.lfs, "sha256", None) if file.lfs else None
    size = file.size if isinstance(file.size, int) and file.size >= 0 else None
    return Remote(file.rfilename, size, _key(sha256 or file.blob_id, commit, file.rfilename))


def _key(hash: str | None, commit: str, path: str) -> str:
    if isinstance(hash, str) and re.fullmatch(r"[0-9a-f]{64}", hash):
        return f"sha256:{hash}"
    if isinstance(hash, str) and re.fullmatch(r"[0-9a-f]{40}", hash):
        return f"git:{hash}"
    return f"at:{commit}/{path}"
