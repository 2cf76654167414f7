"""Reads requests, answers them, and ends with its parent."""
from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable

from .devices import best_device, device_facts
from .processes import Group
from .requests import Json, Request
from .trace import trace
from .trial import trial
from .validation import validate_backward, validate_compile
from .versions import versions

OPERATIONS: dict[str, Callable[[Request], Json]] = {
    "trace": trace,
    "versions": versions,
    "device": device_facts,
    "trial": trial,
    "validate-backward": validate_backward,
    "validate-compile": validate_compile,
}


def answer(line: str) -> Json:
    request = json.loads(line)
    try:
        return {"id": request["id"], "kind": "done", "result": OPERATIONS[request["operation"]](request)}
    except Exception as error:
        return {"id": request["id"], "kind": "failed", "message": f"{type(error).__name__}: {error}"[:2_000],
                "traceback": traceback.format_exc()[-8_000:]}


def end_with_parent(parent: int) -> None:
    """A killed parent cannot end its worker. On Linux the kernel does: PR_SET_PDEATHSIG of prctl(2)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit()


def main(parent: int) -> None:
    """`parent`: the process that started this one, as seen before the imports, which take seconds."""
    end_with_parent(parent)
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library that prints must not break the protocol
    group = Group(sys.argv[1] if len(sys.argv) > 1 else best_device()) if "TORCHELASTIC_RUN_ID" in os.environ else None
    for line in sys.stdin if group is None else group.lines():
        reply = answer(line) if group is None else group.agreed(answer(line))
        if reply is not None:
            # One write: print would write the newline separately, and several processes share the
            # pipe.
            answers.write(json.dumps(reply) + "\n")
            answers.flush()
