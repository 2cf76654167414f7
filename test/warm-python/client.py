"""Stands in for the interpreter: the program runs in a fork of server.py, with this process's input, output, environment and
folder, and ends with it. What must start anew is run by the interpreter itself.

start.ts puts the interpreter that runs this before the first line, and the server's socket beside the file.
"""

import array
import marshal
import os
import signal
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket

server = socket(AF_UNIX, SOCK_SEQPACKET)
command = os.path.abspath(__file__)
server.connect(os.path.join(os.path.dirname(command), "socket"))
request = marshal.dumps((command, sys.argv[1:], dict(os.environ), os.getcwd(), os.getppid()))
server.sendmsg([request], [(SOL_SOCKET, SCM_RIGHTS, array.array("i", [0, 1, 2]))])
answer = server.recv(16)
if answer == b"anew":
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
status = os.waitstatus_to_exitcode(int(answer or 1 << 8))
if status < 0:
    signal.signal(-status, signal.SIG_DFL) if -status not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), -status)
os._exit(status)
