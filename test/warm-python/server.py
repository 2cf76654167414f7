"""`python server.py SOCKET`: imports PyTorch and transformers once, and forks for each program that client.py sends.

It imports at the first program, and ends with its standard input. A program's own modules are imported by its fork.
"""

import array
import contextlib
import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import types
from typing import NoReturn

# What the programs import. Whatever of it is not installed fails there, as it does without this server.
LIBRARIES = ("torch", "transformers", "transformers.modeling_utils", "peft")

# What Python and these libraries read when they start. Where a program has another value than this server, it starts anew.
READ_AT_START = ("PYTHON", "LD_", "OMP", "MKL", "TORCH", "PYTORCH", "CUDA", "HF_", "TRANSFORMERS", "BNB", "XDG_", "HOME")
# Of those: what this server is whatever they say, what `run` does over, and what torchrun's workers read later.
NOT_THEN = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONSAFEPATH", "PYTHONPATH", "PYTHON_CUDA_STAND_IN",
            "TORCHELASTIC_", "TORCH_NCCL_")
# The worker sets these before it imports transformers, which reads them then.
SET_BY_WORKER = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}


class Program:
    """`COMMAND ARGUMENTS` in a folder, where the command stands in for Python, and the arguments are a file, a folder with a
    `__main__.py`, `-c TEXT` or `-m MODULE`."""

    def __init__(self, command: str, arguments: list[str], environment: dict[str, str], folder: str, parent: int) -> None:
        self._command = command
        self._arguments = arguments[1:] if arguments[:1] == ["-u"] else arguments
        self._environment = environment
        self._folder = folder
        self.parent = parent

    def must_start_anew(self) -> bool:
        brings_modules = "PYTHONPATH" in self._environment and "PYTHON_CUDA_STAND_IN" not in self._environment
        return self._option() is None or brings_modules or read_at_start(self._environment) != READ_BY_THIS

    def _option(self) -> str | None:
        """Empty where a path is named, and None where the arguments are others."""
        named = next(iter(self._arguments), "-")
        if not named.startswith("-"):
            return ""
        return named if named in ("-c", "-m") and len(self._arguments) > 1 else None

    def run(self) -> None:
        sys.executable = self._command
        os.chdir(self._folder)
        os.environ.clear()
        os.environ.update(self._environment)
        if "PYTHONPATH" in self._environment:
            sys.path[:0] = self._environment["PYTHONPATH"].split(os.pathsep)
            # The system's own, which this process has imported, is another.
            sys.modules.pop("sitecustomize", None)
            importlib.import_module("sitecustomize")
        option = self._option()
        if option == "-c":
            sys.argv = ["-c", *self._arguments[2:]]
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(self._arguments[1], "<string>", "exec"), main.__dict__)
        elif option == "-m":
            sys.argv = self._arguments[1:]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = self._arguments
            runpy.run_path(sys.argv[0], run_name="__main__")


def read_at_start(environment: dict[str, str]) -> dict[str, str]:
    known = SET_BY_WORKER | environment
    return {name: known[name] for name in known if name.startswith(READ_AT_START) and not name.startswith(NOT_THEN)}


READ_BY_THIS = read_at_start(dict(os.environ))


def import_libraries() -> None:
    os.environ.update(SET_BY_WORKER | dict(os.environ))
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def watch(client: socket.socket, parent: int, program: int) -> NoReturn:
    """Tells the client how the program ended. If the client or its parent ends first, so does the program with its group:
    the worker asks the kernel to be ended with its parent, which here is this process."""
    ended = os.pidfd_open(program)
    try:
        ends = select.select([ended, client, os.pidfd_open(parent)], [], [])[0]
    except ProcessLookupError:
        ends = []
    if ended not in ends:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program, signal.SIGKILL)
    _, status = os.waitpid(program, 0)
    with contextlib.suppress(OSError):
        client.send(str(status).encode())
    os._exit(0)


def serve(listener: socket.socket) -> Program:
    """Returns in the forks alone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while sys.stdin not in (ready := select.select([listener, sys.stdin], [], [])[0]):
        if not ready:
            continue
        client, _ = listener.accept()
        message, ancillary, _, _ = client.recvmsg(1 << 20, socket.CMSG_SPACE(3 * array.array("i").itemsize))
        streams = array.array("i", b"".join(data for _, _, data in ancillary))
        program = Program(*marshal.loads(message))
        if program.must_start_anew():
            client.send(b"anew")
        else:
            import_libraries()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                child = os.fork()
                if child != 0:
                    for stream in (*streams, 0, 1, 2):
                        os.close(stream)
                    watch(client, program.parent, child)
                client.close()
                os.setsid()
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                return program
        for stream in streams:
            os.close(stream)
        client.close()
    sys.exit()


if __name__ == "__main__":
    sys.path.pop(0)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(sys.argv[1])
    listener.listen(64)
    print("listening", flush=True)
    serve(listener).run()
