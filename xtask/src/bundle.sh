#!/bin/sh
# Runs the tests of this folder on the machine's GPU: run.sh [JOBS [SECONDS]]. JOBS tests run at once (default 4), each for at most SECONDS
# (default 600). The folder $OUT (default ./out) gets a file for each test, with what the test prints, and results.txt, with all exit codes.
cd "$(dirname "$0")" || exit 2
export OUT="${OUT:-out}" SECONDS_EACH="${2:-600}"
mkdir -p "$OUT" || exit 2
: >"$OUT/results.txt"

run='
    timeout "$SECONDS_EACH" "./$1" >"$OUT/$1.txt" 2>&1 </dev/null
    echo "$? $1" >>"$OUT/results.txt"
'

# These tests measure the GPU's free memory, or use it up, so nothing else runs beside them.
for test in test-memory test-large; do
    [ ! -x "$test" ] || sh -c "$run" sh "$test"
done
for test in test-*; do
    case $test in
    test-memory | test-large | 'test-*') ;;
    *) echo "$test" ;;
    esac
done | xargs -P "${1:-4}" -n 1 sh -c "$run" sh

cat "$OUT/results.txt"
! grep -qv '^0 ' "$OUT/results.txt"
