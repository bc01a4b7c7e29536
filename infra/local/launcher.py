"""Starts ministack, shows what the functions log, and ends with the process that started it."""

import functools
import os
import signal
import socketserver
import threading

from ministack import app
from ministack.core import lambda_runtime
from ministack.services import dynamodb

# Nagle's algorithm costs each call of a function's runtime interface 40 ms.
socketserver.StreamRequestHandler.disable_nagle_algorithm = True


class Tee:
    """A function's output, copied to the log line by line on its way to the emulator."""

    def __init__(self, function, stream, log):
        self.function, self.stream, self.log = function, stream, log

    def readline(self):
        line = self.stream.readline()
        if line:
            self.log.write(b"%s %s\n" % (self.function.encode(), line.rstrip(b"\r\n")))
        return line

    def close(self):
        self.stream.close()


def copy_output(log):
    pump = lambda_runtime.ProvidedWorker._pump_output

    def pump_and_copy(worker, stream, lines):
        # The name is <stack>-<logical name>-<random>.
        return pump(worker, Tee(worker.func_name.split("-")[1], stream, log), lines)

    lambda_runtime.ProvidedWorker._pump_output = pump_and_copy


def read_expressions_once():
    """A query looks at every item of its partition, and would read its expression anew for each of them."""
    for reader in ("_tokenize", "_condition_syntax_error"):
        setattr(dynamodb, reader, functools.lru_cache(getattr(dynamodb, reader)))


def end_with_parent():
    """Nobody writes to standard input: its end is the parent's end."""
    os.read(0, 1)
    os.killpg(0, signal.SIGTERM)


def end_functions():
    """Leaves none behind, not even as a zombie where nobody reaps orphans."""
    processes = [worker._proc for pool in lambda_runtime._workers.values() for worker in pool if worker._proc]
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def main():
    copy_output(open(os.environ.pop("FUNCTIONS_LOG"), "wb", buffering=0))
    read_expressions_once()
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        app.main()
    finally:
        end_functions()


main()
