#!/usr/bin/env bash
# Counts how often suites of pytest and of promptfoo are green for an agent that is as
# before, one that succeeds less often, and one that costs more. It needs pytest with
# pytest-rerunfailures, and promptfoo, on the PATH. The argument is how many suites.
set -uo pipefail
cd "$(dirname "$0")"
export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_REMOTE_GENERATION=1

suites=${1:-100}
green() { # how often a command ends with 0
  local n=0
  for ((i = 0; i < suites; i++)); do
    "$@" >/dev/null 2>&1 && ((n++))
  done
  echo "$n of $suites"
}
prompts() { promptfoo eval --repeat 8 --no-cache --no-table --no-progress-bar --no-write; }

while read -r SUCCESS COST what; do
  export SUCCESS COST
  echo "$what: pytest $(green pytest -q -p no:cacheprovider test_agent.py)," \
    "with --reruns 2 $(green pytest -q -p no:cacheprovider --reruns 2 test_agent.py)," \
    "promptfoo $(green prompts)," \
    "with a threshold of 85 % $(PROMPTFOO_PASS_RATE_THRESHOLD=85 green prompts)"
done <<'TRUTHS'
0.95 0.10 as before
0.80 0.10 15 points less success
0.95 0.125 25 % more cost
TRUTHS
