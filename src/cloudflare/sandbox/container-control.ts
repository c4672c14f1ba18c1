// Defines the control script that Sluice runs inside a sandbox: one POSIX shell script, copied there when a sandbox is first used. It
// supervises processes and handles file transfers. It needs sh, bash, setsid, find, stat, sha256sum, tar and base64, which the SDK's images
// have, whether they use GNU tools or busybox.
//
// The sandbox belongs to the run, so its commands may change the script. The script's output is therefore untrusted, and affects only this run.

import { KEPT_INSIDE } from "../../ports/exec.ts"

/** A script that behaves differently gets a new name, so that a sandbox from before an upgrade gets the new script. */
export const CONTROL = "/tmp/.sluice/control-2"
/** Where the script keeps its state between calls. containerExec chooses the names in it. */
export const STATE = "/tmp/.sluice"
export const WORKSPACE = "/workspace"

const FIND = `find . -type d \\( ${KEPT_INSIDE.map((name) => `-name ${name}`).join(" -o ")} \\) -prune -o -type f ! -path '*
*'`

export const CONTROL_TEXT = `W=${WORKSPACE}
S=${STATE}
mkdir -p "$W" "$S/p"
verb=$1
shift

# Prints CODE RUNNING OUT ERR STARTED, or nothing if there is no such process.
look() {
  P=$S/p/$1
  [ -d "$P" ] || return 0
  code=$(cat "$P/code" 2>/dev/null)
  pid=$(cat "$P/pid" 2>/dev/null)
  running=0
  if [ -z "$code" ] && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then running=1; fi
  # It ended between the two checks; its guard is about to write the code.
  if [ $running = 0 ]; then
    m=0
    while [ -n "$pid" ] && [ $m -lt 20 ] && [ ! -e "$P/code" ] && kill -0 "$(cat "$P/guard" 2>/dev/null)" 2>/dev/null; do
      sleep 0.05
      m=$((m + 1))
    done
    code=$(cat "$P/code" 2>/dev/null)
  fi
  echo "\${code:--} $running $(cat "$P/out" 2>/dev/null | wc -c) $(cat "$P/err" 2>/dev/null | wc -c) $(cat "$P/at" 2>/dev/null || echo 0)"
}

# Waits until it has ended, at most $2 twentieths of a second.
await() {
  n=0
  while [ $n -lt "$2" ] && [ ! -e "$S/p/$1/code" ]; do
    sleep 0.05
    n=$((n + 1))
  done
}

case $verb in
# MAX BYTES: the files that were copied in, names and hashes, sizes, files that are too large.
list)
  cat "$S/base" 2>/dev/null
  echo "=="
  cd "$W" || exit 1
  ${FIND} ! -size +"$2"c -exec sha256sum -- {} + 2>/dev/null | head -n "$1"
  echo "=="
  ${FIND} ! -size +"$2"c -exec stat -c '%s %n' -- {} + 2>/dev/null | head -n "$1"
  echo "=="
  ${FIND} -size +"$2"c -print 2>/dev/null | head -n 20
  ;;
# Removes the paths listed in $S/drop, then extracts $S/in.tar.
unpack)
  cd "$W" || exit 1
  if [ -e "$S/drop" ]; then
    while IFS= read -r path; do rm -rf -- "./$path"; done < "$S/drop"
    rm -f "$S/drop"
  fi
  if [ -e "$S/in.tar" ]; then
    tar -xf "$S/in.tar" -C "$W" || exit 1
    rm -f "$S/in.tar"
  fi
  if [ -e "$S/base.new" ]; then mv "$S/base.new" "$S/base"; fi
  ;;
# Packs the files listed in $S/want that exist.
pack)
  cd "$W" || exit 1
  tar -cf "$S/out.tar" -T "$S/want" 2>/dev/null
  rm -f "$S/want"
  ;;
# ID FOLDER SECONDS: runs $S/ID.script once.
start)
  if mkdir "$S/p/$1" 2>/dev/null; then
    mv "$S/$1.script" "$S/p/$1/script"
    date +%s > "$S/p/$1/at"
    setsid sh "$0" guard "$1" "$2" "$3" > /dev/null 2>&1 < /dev/null &
  fi
  n=0
  while [ $n -lt 40 ] && [ ! -e "$S/p/$1/pid" ] && [ ! -e "$S/p/$1/code" ]; do
    sleep 0.05
    n=$((n + 1))
  done
  await "$1" 5
  look "$1"
  ;;
guard)
  P=$S/p/$1
  echo $$ > "$P/guard"
  : > "$P/out"
  if ! cd "$2" 2> "$P/err"; then
    echo 1 > "$P/code"
    exit
  fi
  # In the background of a shell without job control, the process leads no group, so setsid does not fork: $! is the id of the new session.
  setsid bash "$P/script" > "$P/out" 2> "$P/err" < /dev/null &
  pid=$!
  echo "$pid" > "$P/pid.new"
  mv "$P/pid.new" "$P/pid"
  if [ "$3" -gt 0 ]; then
    setsid sh -c 'sleep "$1"; kill -KILL -"$2"' sh "$3" "$pid" &
    watch=$!
  fi
  wait "$pid"
  code=$?
  # A command with a time limit ends with everything that it started; a process may leave others running.
  if [ "$3" -gt 0 ]; then
    # The watch may not have reached its setsid yet.
    kill -KILL -"$watch" 2>/dev/null
    kill -KILL "$watch" 2>/dev/null
    kill -KILL -"$pid" 2>/dev/null
  fi
  echo "$code" > "$P/code.new"
  mv "$P/code.new" "$P/code"
  ;;
look) look "$1" ;;
# ID out|err FIRST MAX
output) tail -c +"$3" "$S/p/$1/$2" 2>/dev/null | head -c "$4" | base64 ;;
# ID TERM|KILL
kill)
  pid=$(cat "$S/p/$1/pid" 2>/dev/null)
  if [ -n "$pid" ] && [ ! -e "$S/p/$1/code" ]; then
    kill -"$2" -"$pid" 2>/dev/null || kill -"$2" "$pid" 2>/dev/null
    await "$1" 40
  fi
  look "$1"
  ;;
list-processes)
  for P in "$S"/p/*/; do
    [ -d "$P" ] || continue
    id=$(basename "$P")
    echo "$id $(look "$id") $(head -c 3000 "$P/script" | base64 | tr -d '\\n')"
  done
  ;;
esac
`
