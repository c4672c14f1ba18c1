// process.start|status|output|kill|list: programs that keep running between calls, in the run's sandbox [T20]. Available only with a sandbox.
//
// A pid is a name derived from its call. It refers to a process of this run's sandbox only: another run's pid is as unknown
// as an invented one. It survives a restart of this Worker while the sandbox lives; the end of the run ends all processes.

import { defined } from "../../core/defined.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import type { JsonObject } from "../../core/json.ts"
import { start as startOf } from "../../core/secrets/beginning.ts"
import { NO_SECRETS } from "../../core/secrets/redact.ts"
import type { Exec, ProcessState, Stream } from "../../ports/exec.ts"
import { text, type Tool, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"
import { bringBack, bringIn } from "./sandbox-files.ts"
import { inItsWords, reachOf, theSame } from "./sandbox-shell.ts"
import { decode, folderOf, integer, string } from "../files/workspace-file.ts"

/** Waking a sandbox and copying files take longer than starting a program. */
const TIMEOUT = 60_000
const PID = /^proc-[0-9a-f]{24}$/
const PAGE = 32 * 1024
/** Below the limit at which a result is truncated [T5]. */
const MOST_PAGE = 48 * 1024 // limit: bytes of a page of a process's output → the call is refused: `invalid_args`
const MOST_LISTED = 100 // limit: processes of an answer → the answer says that there are more
const SHOWN_COMMAND = 200

const pid = { type: "string", minLength: 1, maxLength: 64, description: "The pid that process.start answered." }
const object = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
// What a process says or writes may come from any file that it could read [G11].
const common = { contexts: ["agent", "architect"], groups: ["runtime"], timeout: TIMEOUT, private: true } as const

export function processTools(open: boolean): readonly Tool[] {
  const start: Tool = {
    ...common,
    ...reachOf(open),
    name: "process.start",
    label: "Start process",
    description:
      "Start a program in the run's sandbox that goes on in the background, such as a server or a long build. Without args, command is a bash command line; with args, it is a program. Answers its pid. It ends with the run at the latest. Files that it writes under /workspace reach the workspace with process.status, process.kill or the next bash call.",
    parameters: object(
      {
        command: { type: "string", minLength: 1, maxLength: 100_000, description: "A command line, or a program when there are args." },
        args: { type: "array", maxItems: 1_000, items: { type: "string", maxLength: 100_000 }, description: "Arguments, each as it is." },
        cwd: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder of the workspace to start in. Default: its root." },
      },
      "command",
    ),
    effect: "write",
    // The process is named after its call, so a repeated call does not start it twice.
    idempotent: true,
    async execute(_callId, params, signal, _onUpdate, powers) {
      const exec = execOf(powers)
      const id = `proc-${exec.call}`
      if (powers.place?.tainted === true) exec.taint()
      if (exec.begun()) return answer(await theSame(exec, id), open || exec.tainted)
      await exec.inTurn(() => bringIn(exec, powers.workspace))
      signal.throwIfAborted()
      exec.begin()
      return answer(await exec.start(id, scriptOf(params), { folder: folderOf(params, "cwd") }), open || exec.tainted)
    },
  }
  const status: Tool = {
    ...common,
    name: "process.status",
    label: "Process status",
    description: "Does a process still run, and if not, how did it end? Brings back the files that it wrote under /workspace.",
    parameters: object({ pid }, "pid"),
    effect: "read",
    execute: (_callId, params, _signal, _onUpdate, powers) => broughtBack(powers, params, open, (exec, id) => exec.look(id)),
  }
  const output: Tool = {
    ...common,
    ...(open ? { untrusted: true } : {}),
    name: "process.output",
    label: "Process output",
    description: "Read what a process has written, a page at a time.",
    parameters: object(
      {
        pid,
        stream: { type: "string", enum: ["stdout", "stderr"], description: "Default: stdout." },
        offset: { type: "integer", minimum: 0, maximum: 1_000_000_000, description: "First byte to read. Default: 0." },
        limit: { type: "integer", minimum: 1, maximum: MOST_PAGE, description: `How many bytes to read. Default: ${PAGE}.` },
      },
      "pid",
    ),
    effect: "read",
    truncate: "head",
    execute: (_callId, params, _signal, _onUpdate, powers) => pageOf(powers, params, open),
  }
  const kill: Tool = {
    ...common,
    name: "process.kill",
    label: "Kill process",
    description:
      "Send a process and what it started SIGTERM, which asks it to end, or SIGKILL, which ends it. Brings back the files that it wrote.",
    parameters: object({ pid, signal: { type: "string", enum: ["SIGTERM", "SIGKILL"], description: "Default: SIGTERM." } }, "pid"),
    effect: "write",
    idempotent: true,
    execute: (_callId, params, _signal, _onUpdate, powers) =>
      broughtBack(powers, params, open, (exec, id) => exec.kill(id, params["signal"] === "SIGKILL" ? "SIGKILL" : "SIGTERM")),
  }
  const list: Tool = {
    ...common,
    ...(open ? { untrusted: true } : {}),
    name: "process.list",
    label: "Processes",
    description: "List the processes of this run that process.start began, those that have ended too.",
    parameters: object({}),
    effect: "read",
    async execute(_callId, _params, _signal, _onUpdate, powers) {
      const exec = execOf(powers)
      const found = (await exec.processes()).filter(({ id }) => PID.test(id)).sort((a, b) => a.started - b.started)
      const shown = found.slice(-MOST_LISTED)
      const lines = shown.map(
        (p) =>
          `${p.id}  ${stateOf(p)}  ${startOf(p.script.trim(), SHOWN_COMMAND, powers.redactor?.() ?? NO_SECRETS).replaceAll("\n", " ")}`,
      )
      const hidden = found.length - shown.length
      if (hidden > 0) lines.unshift(`[${hidden} older ${hidden === 1 ? "one is" : "ones are"} not shown]`)
      const outcome = text(lines.join("\n") || "[no processes]", { processes: shown.map(detailsOf), total: found.length })
      return open || exec.tainted ? { ...outcome, untrusted: true } : outcome
    },
  }
  return [start, status, output, kill, list].map((tool) => ({ ...tool, execute: inItsWords(open, tool.execute) }))
}

function execOf(powers: ToolPowers): Exec {
  if (powers.exec === undefined) throw new Error("no sandbox is available here to run processes in")
  return powers.exec
}

/** A pid of another shape was never issued, so the sandbox is not asked. */
function known(params: JsonObject): string {
  const given = string(params, "pid")
  if (!PID.test(given)) throw unknown(given)
  return given
}

const unknown = (given: string): Error =>
  new Error(
    `there is no process ${given.slice(0, 64)} in this run's sandbox: process.list shows the existing ones. Processes are lost when the sandbox goes to sleep`,
  )

async function broughtBack(
  powers: ToolPowers,
  params: JsonObject,
  open: boolean,
  ask: (exec: Exec, id: string) => Promise<ProcessState | undefined>,
): Promise<ToolOutcome> {
  const exec = execOf(powers)
  const given = known(params)
  const state = await ask(exec, given)
  if (state === undefined) throw unknown(given)
  const { files, untold } = await exec.inTurn(() => bringBack(exec, powers.workspace, undefined))
  // File names are text from outside too.
  return answer(state, exec.tainted || (open && files + untold.length > 0), untold)
}

async function pageOf(powers: ToolPowers, params: JsonObject, open: boolean): Promise<ToolOutcome> {
  const exec = execOf(powers)
  const id = known(params)
  const stream: Stream = params["stream"] === "stderr" ? "stderr" : "stdout"
  const state = await exec.look(id)
  if (state === undefined) throw unknown(id)
  const total = state[stream]
  const offset = integer(params, "offset") ?? 0
  if (offset > total) throw new Error(`${stream} has ${total} bytes so far: there is nothing at ${offset}`)
  const body = whole(await exec.output(id, stream, offset, integer(params, "limit") ?? PAGE))
  const next = offset + body.length
  const shown = decode(body) ?? new TextDecoder().decode(body)
  const more =
    next < total
      ? `[bytes ${offset} to ${next} of ${total}; go on with offset ${next}]`
      : `[${state.running ? "so far" : "all"} of ${total} bytes; ${stateOf(state)}]`
  const outcome = text(`${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}${more}`, {
    pid: id,
    stream,
    from: offset,
    next,
    total,
    running: state.running,
  })
  return open || exec.tainted ? { ...outcome, untrusted: true } : outcome
}

/** Never ends in half a character, and never returns nothing. */
function whole(body: Uint8Array): Uint8Array {
  for (let cut = 0; cut < Math.min(4, body.length); cut++) {
    const at = body.length - 1 - cut
    const byte = body[at] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return at > 0 && at + length > body.length ? body.subarray(0, at) : body
  }
  return body
}

function answer(state: ProcessState, untrusted: boolean, untold: readonly string[] = []): ToolOutcome {
  const lines = [`${state.id}: ${stateOf(state)}`, ...untold.map((line) => `[not brought back to the workspace: ${line}]`)]
  const outcome = text(lines.join("\n"), detailsOf(state))
  return untrusted ? { ...outcome, untrusted } : outcome
}

function stateOf({ running, exitCode }: ProcessState): string {
  if (running) return "running"
  if (exitCode === undefined) return "ended; how is not known"
  const signal = { 137: " (SIGKILL)", 143: " (SIGTERM)" }[exitCode] ?? ""
  return `ended, exit code ${exitCode}${signal}`
}

const detailsOf = ({ id, running, exitCode, stdout, stderr, started }: ProcessState): JsonObject => ({
  pid: id,
  running,
  ...defined({ exitCode }),
  stdout,
  stderr,
  started: new Date(started).toISOString(),
})

/** Quotes arguments so that the shell does not interpret them. */
function scriptOf(params: JsonObject): string {
  const command = string(params, "command")
  const { args } = params
  if (!Array.isArray(args) || args.length === 0) return command
  const words = [command, ...args.map((word) => (typeof word === "string" ? word : JSON.stringify(word)))]
  return `exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`
}
