#!/usr/bin/env bash
# Applies each mutant to a scratch copy and runs the test that its patch names: a test that passes there holds nothing.
# Takes the names of mutants, or plays all of them. The scratch copy shares what cargo has built of the dependencies.
set -euo pipefail
cd "$(dirname "$0")/../.."

mutants=("$@")
[ "${#mutants[@]}" -gt 0 ] || mapfile -t mutants < <(basename -s .patch tests/mutants/*.patch)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
scratch=$CARGO_TARGET_DIR/mutants
patches=$PWD/tests/mutants

# Copies get the time of now: cargo never takes what an earlier run built for fresh.
rm -rf "$scratch"
mkdir -p "$scratch"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$scratch"
cd "$scratch"

# play <patch> <log> <test arguments…>: says what became of the mutant.
play() {
  local patch=$1 log=$2
  shift 2
  if ! patch -p1 --forward --dry-run <"$patch" >"$log" 2>&1; then
    echo 'does not apply'
    return
  fi
  patch -p1 --silent --no-backup-if-mismatch <"$patch"
  if ! cargo test --workspace --quiet "$1" "$2" --no-run >>"$log" 2>&1; then
    echo 'does not compile'
  elif ! timeout 300 cargo test --workspace --quiet "$1" "$2" -- --exact "$3" >>"$log" 2>&1; then
    echo 'killed'
  else
    echo 'SURVIVED'
  fi
  patch -p1 --silent --reverse --no-backup-if-mismatch <"$patch" >>"$log" 2>&1
}

failed=0
printf '%-32s %-18s %s\n' mutant outcome test
for mutant in "${mutants[@]}"; do
  read -ra arguments < <(sed -n 's/^Test: //p' "$patches/$mutant.patch")
  outcome=$(play "$patches/$mutant.patch" "$scratch/$mutant.log" "${arguments[@]}")
  printf '%-32s %-18s %s\n' "$mutant" "$outcome" "${arguments[*]:1}"
  if [ "$outcome" != killed ]; then
    failed=1
    tail -20 "$scratch/$mutant.log" | sed 's/^/    /'
  fi
done
exit "$failed"
