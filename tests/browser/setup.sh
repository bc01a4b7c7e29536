#!/bin/sh
# Makes the browser tests ready: their node modules, once for each lock file, and Debian's chromium.
set -eu

cd "$(dirname "$0")"
chromium=/usr/bin/chromium

fail() {
    echo "The browser tests cannot run: $1" >&2
    exit 1
}

command -v node >/dev/null || fail "node is missing; they need version 20 or newer."
command -v npm >/dev/null || fail "npm is missing."
[ "$(node --print 'parseInt(process.versions.node)')" -ge 20 ] || fail "node is $(node --version); they need version 20 or newer."

stamp=node_modules/.made-$(cksum < package-lock.json | cut -d ' ' -f 1)
if [ ! -e "$stamp" ]; then
    npm ci --no-progress
    touch "$stamp"
fi

if [ ! -x $chromium ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
        fail "$chromium is missing; install Debian's package chromium."
    apt-get update --quiet
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends chromium
fi
[ -x $chromium ] || fail "$chromium is missing even so."
