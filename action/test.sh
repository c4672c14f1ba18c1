# Tests the project on a server of its own, which knows no secret. `sluice test` finds the server that `sluice dev` notes in the folder.
set -euo pipefail
unset SLUICE_URL SLUICE_KEY SLUICE_PROFILE

if [ -z "$(find flows tests -name '*.test.yaml' -print -quit 2>/dev/null || true)" ]; then
  echo "::notice::the project has no tests: write flows/NAME.test.yaml"
  exit 0
fi
told="$(mktemp)"
sluice dev --no-watch --port 0 --json > "$told" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 300); do
  if grep -q '"type":"done"' "$told"; then
    sluice test
    exit
  fi
  kill -0 "$server" 2>/dev/null || break
  sleep 1
done
cat "$told"
echo "::error::the server of the tests did not start"
exit 1
