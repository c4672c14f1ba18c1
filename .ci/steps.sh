# What .ci/run and .ci/proof share: how a step runs, is counted and told, and where the judge is. Sourced, from the project's root.

out="$(mktemp -d "${TMPDIR:-/tmp}/sluice-ci.XXXXXX")"
trap 'rm -rf "$out"' EXIT
export CI=1 NO_COLOR=1 WRANGLER_SEND_METRICS=false WRANGLER_LOG_PATH="$out/wrangler" SLUICE_DATA= PORT= HOST=

# Without HOME, the user's home directory is used. If it is not writable, caches and settings go next to the logs.
[ -n "${HOME:-}" ] || { HOME="$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)"; export HOME="${HOME:-$out}"; }
if ! { mkdir -p "$HOME" && tmp="$(mktemp -d "$HOME/.sluice-ci.XXXXXX")" && rmdir "$tmp"; } 2>/dev/null; then
  export npm_config_cache="$out/npm" XDG_CONFIG_HOME="$out/xdg" XDG_CACHE_HOME="$out/xdg"
fi

# limit SECONDS COMMAND...: stops a step that hangs (limits are at least four times what a quiet machine takes); systems without `timeout` have no limit.
limit() { if command -v timeout >/dev/null; then timeout -k 10 "$@"; else shift; "$@"; fi; }

# step NAME SECONDS COMMAND...: shows and logs the output, and records the exit code.
step() {
  local name="$1" seconds="$2" began=$SECONDS code=0 how=ok
  shift 2
  echo "== $name"
  limit "$seconds" "$@" 2>&1 | tee "$out/$name.log" || code=$?
  [ $code = 0 ] || how="FAILED (exit $code)"
  echo "== $name: $how after $((SECONDS - began)) s"
  echo "$name: $how after $((SECONDS - began)) s, limit $seconds s" >>"$out/steps"
  echo "$code" >"$out/$name.code"
  return $code
}

# plain NAME ...: a step without a count; if it fails, it counts as one failure.
plain() { step "$@" || echo "0 1" >"$out/$1.count"; }

# counting NAME ...: a step whose output ends with "N passed, M failed". A step that fails without a count is one failure, and so is a
# step that counts nothing. One with up to three failures runs once more: what passes then leaned on the machine. It counts, and its name is
# listed as unsteady at the end, with what failed, for somebody has to mend it.
counting() {
  local name="$1" passed failed code=0
  step "$@" || code=$?
  read -r passed failed < <(counted "$name")
  if [ "$failed" -ge 1 ] && [ "$failed" -le 3 ]; then
    mv "$out/$name.log" "$out/$name.first"
    code=0
    step "$@" || code=$?
    read -r passed failed < <(counted "$name")
    [ "$code$failed" != 00 ] || unsteady "$name" "$out/$name.first"
  fi
  tally "$name" "$code" "$passed" "$failed"
}

# counted NAME: "passed failed", from the last line of the step's output that says so.
counted() {
  sed -nE 's/^(.*[^0-9])?([0-9]+) passed, ([0-9]+) failed.*$/\2 \3/p' "$out/$1.log" | tail -n 1 | grep . || echo "0 0"
}

# unsteady NAME LOG: what failed the first time.
unsteady() { { echo "unsteady: $1 passed the second time"; grep -nE "$faults" "$2" | head -n 5 | cut -c1-300; } | tee -a "$out/steps"; }
faults='^(FAIL|not ok)|FAIL |Error|error TS|✗|×|Unhandled'

tally() {
  local failed="$4"
  if [ "$4" = 0 ] && { [ "$2" != 0 ] || [ "$3" = 0 ]; }; then failed=1; fi
  echo "$3 $failed" >"$out/$1.count"
}

# results FILE WHAT: from vitest's own report, `counts` ("passed failed") or `files` (those with a failed test, if there are at most ten).
results() {
  node -e '
    const [, file, what] = process.argv
    let r
    try { r = JSON.parse(require("node:fs").readFileSync(file, "utf8")) } catch { r = { numPassedTests: 0, numFailedTests: 0, testResults: [] } }
    const files = r.testResults.filter((t) => t.status === "failed").map((t) => require("node:path").relative(".", t.name))
    console.log(what === "counts" ? `${r.numPassedTests} ${r.numFailedTests}` : files.length > 10 ? "" : files.join(" "))' "$@"
}

# unit NAME SECONDS [FILE...]: `npm test`, of these files alone. A test that fails runs once more, with its files alone. If it passes then, it leaned
# on the machine or on its neighbors: it counts as passed, and the output names its file as unsteady, for somebody has to mend it.
unit() {
  local name="$1" seconds="$2" code=0 passed failed files again
  shift 2
  step "$name" "$seconds" npm test --silent -- --reporter=default --reporter=json --outputFile.json="$out/vitest.json" "$@" || code=$?
  read -r passed failed < <(results "$out/vitest.json" counts)
  files="$(results "$out/vitest.json" files)"
  if [ $code != 0 ] && [ -n "$files" ]; then
    cp "$out/$name.log" "$out/$name.first"
    again=0
    # shellcheck disable=SC2086 # one argument for each file
    step "$name-again" 600 npm test --silent -- --reporter=default --reporter=json --outputFile.json="$out/again.json" $files || again=$?
    if [ $again = 0 ]; then
      unsteady "$files" "$out/$name.first"
      passed=$((passed + failed)) failed=0 code=0
    fi
  fi
  tally "$name" "$code" "$passed" "$failed"
}

# finish: repeats each failure (its error lines and its last lines), for readers who see only the end of the output.
finish() {
  local file name passed=0 failed=0 p f
  for file in "$out"/*.count; do
    read -r p f <"$file"
    passed=$((passed + p)) failed=$((failed + f))
    [ "$f" = 0 ] && continue
    name="$(basename "$file" .count)"
    echo "== $name, again: what failed"
    { grep -nE "$faults" "$out/$name.log" | head -n 40; echo "..."; tail -n 25 "$out/$name.log"; } | cut -c1-400
  done
  echo "== steps"
  cat "$out/steps"
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit
}

# Debian's Chromium for the browser tools, curl for the guide, zsh and fish for their completion; without the first two, `npm run browser` and
# `npm run guide` fail and say so, and without a shell its completion is named as not tried.
# They install in parallel with the npm packages. `system cc`: with a C compiler, for the disk that fails (test/disk), which the proof alone has.
system() {
  local name sudo="" wanted="chromium"
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -x "/usr/bin/$name" ] && wanted=""
  done
  command -v curl >/dev/null || wanted="$wanted curl ca-certificates"
  # For their completion.
  for name in zsh fish; do
    command -v "$name" >/dev/null || wanted="$wanted $name"
  done
  [ "${1:-}" != cc ] || command -v cc >/dev/null || wanted="$wanted gcc libc6-dev"
  [ -n "$wanted" ] || return 0
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  limit 480 $sudo apt-get update -qq -o DPkg::Lock::Timeout=120 &&
    limit 480 $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 $wanted
}

# The judge next to the project, if there is one, otherwise the copy in it; and our own cases for the flow language and the service.
judge=test/conformance
[ -f ../shared/conformance/run.mjs ] && judge=../shared/conformance
export SLUICE_JUDGE="$judge"


# pages PART: rooms of the console, and <sluice-chat>, in Chromium. Only the rooms in which up to three checks failed run once more; a room is the
# word before the colon of a check's name.
pages() {
  local part="$1" name="console-$1" passed failed code=0 rooms
  step "$name" 1200 npm run --silent console:browser -- --part "$part" || code=$?
  read -r passed failed < <(counted "$name")
  rooms="$(sed -nE 's/^FAIL ([a-z-]+:).*/\1/p' "$out/$name.log" | sort -u | paste -sd '|')"
  if [ "$failed" -ge 1 ] && [ "$failed" -le 3 ] && [ -n "$rooms" ]; then
    if step "$name-again" 900 npm run --silent console:browser -- --only "$rooms"; then
      unsteady "$name ($rooms)" "$out/$name.log"
      passed=$((passed + failed)) failed=0 code=0
    fi
  fi
  tally "$name" "$code" "$passed" "$failed"
}

# install FOLDER...: packages with a lockfile each, at once: a registry far away is mostly waited for. "." is the project.
install() {
  local folder pids="" code=0
  for folder in "$@"; do
    npm ci --prefix "$folder" --no-audit --no-fund $([[ "$folder" =~ ^(\.|test/ci)$ ]] || echo --ignore-scripts) & pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || code=1; done
  return $code
}
export -f install
