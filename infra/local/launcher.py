"""Starts ministack and ends with its parent."""

import os
import signal
import socketserver
import sys
import threading

# Nagle's algorithm costs each call of a function's runtime interface 40 ms.
socketserver.StreamRequestHandler.disable_nagle_algorithm = True


def end_with_parent():
    """Standard input is a pipe that nobody writes to: its end is the parent's end."""
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGTERM)


def main():
    from ministack import app
    from ministack.core import lambda_runtime

    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        app.main()
    finally:
        lambda_runtime.reset()


main()
