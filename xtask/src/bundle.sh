#!/bin/sh
# Runs the tests of this folder on the machine's GPU: run.sh [JOBS [SECONDS]]. JOBS of them run at once (4), each for at most SECONDS (600).
# What a test prints goes to a file of its name in the folder $OUT (./out), and how each ended to results.txt there.
cd "$(dirname "$0")" || exit 2
export OUT="${OUT:-out}" SECONDS_EACH="${2:-600}"
mkdir -p "$OUT" || exit 2
: >"$OUT/results.txt"

run='
    timeout "$SECONDS_EACH" "./$1" >"$OUT/$1.txt" 2>&1 </dev/null
    echo "$? $1" >>"$OUT/results.txt"
'

# These measure the GPU's free memory, or use it up: nothing else runs beside them.
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
