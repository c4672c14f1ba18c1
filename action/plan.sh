# Shows the plan in the job's summary, and on a pull request as a comment. Ends as `sluice plan` does: with 1 if the gate fails.
# Without -u: an empty list is an unset one to the bash of macOS.
set -eo pipefail

options=()
if [ "$PRUNE" = true ]; then options+=(--prune); fi
file="$(mktemp)"
code=0
sluice plan "${options[@]}" > "$file" 2>&1 || code=$?
cat "$file"
node "$GITHUB_ACTION_PATH/comment.mjs" "$file" "$code" || echo "::warning::the plan could not be written as a comment"
exit "$code"
