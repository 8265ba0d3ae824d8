#!/bin/sh
# Runs the tests of this folder on the machine's GPU: run.sh [JOBS [SECONDS]]. JOBS tests run at once (default 4), each for at most SECONDS
# (default 600). The output of each test is written to a file in the folder $OUT (default ./out), and all exit codes to the file results.txt
# in that folder.
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
