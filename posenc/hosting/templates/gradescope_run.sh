#!/usr/bin/env bash
# Grades one upload for lesson [[ lesson ]] ([[ title ]]); Gradescope runs this for each.
set -u
place="${POSENC_AUTOGRADER:-/autograder}"
results="$place/results/results.json"
mkdir -p "$place/results"
log=$(mktemp)
"$place/source/environment/bin/posenc" grade "$place/submission" --lesson [[ lesson ]] --fresh \
  --store "$place/results/grades.sqlite" --gradescope "$results" >"$log" 2>&1
status=$?
cat "$log"
rm -f "$place/results/grades.sqlite"*
if [ ! -s "$results" ]; then
  # Something must be said to the learner even where nothing could be graded.
  python3 - "$log" "$results" "$status" <<'PYTHON'
import json, sys

log, results, status = sys.argv[1:]
said = open(log, encoding="utf-8", errors="replace").read().strip()[-2000:]
message = "No mark was given, which is not a zero. " + (said or f"The grader ended with {status}.")
with open(results, "w", encoding="utf-8") as file:
    json.dump({"score": 0, "output": message, "visibility": "visible", "tests": []}, file)
PYTHON
fi
rm -f "$log"
