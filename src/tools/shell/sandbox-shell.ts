// bash and shell.exec in a bound sandbox [T20]: every rule treats them as the same tools, but a real machine runs them. The workspace's
// files are copied in before a command and back after it (sandbox-files.ts).
//
// The command keeps running in the sandbox even if this Worker dies. A repeated call continues the command that it started
// and never starts another; if that command is gone, the call fails and says so [J11].

import type { JsonObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Exec, ProcessState, Stream } from "../../ports/exec.ts"
import { text, ToolFailure, type OnUpdate, type Tool, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"
import { pause } from "../../ports/timers.ts"
import { bash, inWorker, said, shellExec, shortStreams } from "./bash.ts"
import { bringBack, bringIn, type Brought } from "./sandbox-files.ts"
import { SKILL_FOLDER, speaksOfSkills, withSkills } from "./skill-mount.ts"
import { decode, folderOf, integer, string } from "../files/workspace-file.ts"

/** Builds and installations are slow, and a sleeping sandbox takes seconds to wake. */
const TIMEOUT = 120_000
/** Past the call's time limit the sandbox ends the command by itself, in case no one tells it to. */
const GRACE = 10_000
const MOST_OUTPUT = 2 * 1024 * 1024 // limit: bytes kept of each stream of a command → the start is dropped
const FIRST_LOOK = 50
const SLOWEST_LOOK = 4_000
/** Bytes shown while the command runs. */
const SHOWN = 2_000

/** The effect of commands on a run [G11]. With a network they may send data out, and their output is text from outside. */
export const reachOf = (open: boolean): Pick<ToolSpec, "private" | "untrusted" | "reach"> => ({
  private: true,
  ...(open ? { untrusted: true, reach: { method: { fixed: "POST" } } } : {}),
})

/** A networked sandbox's error messages can hold text from outside, like its output [G11]. */
export const inItsWords =
  (open: boolean, execute: Tool["execute"]): Tool["execute"] =>
  async (callId, params, signal, onUpdate, powers) => {
    try {
      return await execute(callId, params, signal, onUpdate, powers)
    } catch (e) {
      if (powers.exec === undefined || !(open || powers.exec.tainted)) throw e
      throw new ToolFailure(text(messageOf(e)).content, {}, undefined, true)
    }
  }

const about = (open: boolean, folder: string): string =>
  `Run a bash command line in a Linux sandbox of this run, ${open ? "with" : "without"} network access. Every call starts in ${folder}; /workspace holds the files of the workspace, and what is changed there is kept (node_modules, .git, .venv and __pycache__ stay in the sandbox). What is installed elsewhere stays for the run; variables are not kept, and what is left running with & ends with the command: process.start is for that. Answers stdout, stderr and the exit code when it is not 0.`

export function sandboxShell(open: boolean): readonly Tool[] {
  return [bash, shellExec].map((tool): Tool => {
    const time = { type: "integer", minimum: 1, maximum: 86_400_000, description: `Milliseconds it may take. Default: ${TIMEOUT}.` }
    const { properties } = tool.parameters
    return {
      ...tool,
      description: about(open, tool === bash ? "/workspace" : "cwd"),
      parameters: { ...tool.parameters, properties: { ...(isRecord(properties) ? properties : {}), timeout: time } },
      timeout: TIMEOUT,
      resumes: true,
      ...reachOf(open),
      execute: inItsWords(open, (_callId, params, signal, onUpdate, powers) =>
        powers.exec === undefined ? inWorker(params, signal, powers) : inSandbox(powers.exec, params, signal, onUpdate, powers, open),
      ),
    }
  })
}

/** The files are copied to /workspace; an agent finds its skills at the same place as in the Worker's shell. */
const LINK = `[ -e /${SKILL_FOLDER} ] || ln -s /workspace/${SKILL_FOLDER} /${SKILL_FOLDER} 2>/dev/null; `

async function inSandbox(
  exec: Exec,
  params: JsonObject,
  signal: AbortSignal,
  onUpdate: OnUpdate | undefined,
  powers: ToolPowers,
  open: boolean,
): Promise<ToolOutcome> {
  const { place } = powers
  const id = `call-${exec.call}`
  const folder = folderOf(params, "cwd")
  const command = string(params, "command")
  const mounts = speaksOfSkills(command, folder) && powers.skills.names().length > 0
  const workspace = mounts ? await withSkills(powers.workspace, powers.skills) : powers.workspace
  // The sandbox enforces the limit too: this Worker may be gone when the time is up.
  const limit = (integer(params, "timeout") ?? TIMEOUT) + GRACE
  const stop = (): void => void exec.kill(id, "SIGKILL").catch(() => undefined)
  signal.addEventListener("abort", stop, { once: true })
  try {
    if (place?.tainted === true) exec.taint()
    let before: Brought | undefined
    let state: ProcessState | undefined
    if (exec.begun()) state = await theSame(exec, id)
    else {
      before = await exec.inTurn(() => bringIn(exec, workspace))
      signal.throwIfAborted()
      exec.begin()
      state = await exec.start(id, mounts ? `${LINK}${command}` : command, { folder, limit })
    }
    state = await untilEnded(exec, state, signal, onUpdate)
    const [stdout, stderr] = [await streamOf(exec, state, "stdout"), await streamOf(exec, state, "stderr")]
    const { untold } = await exec.inTurn(() => bringBack(exec, workspace, before))
    signal.throwIfAborted()
    // The end was not recorded: the shell was killed from outside, for example when memory ran out.
    const exitCode = state.exitCode ?? 137
    const told = said({ exitCode, stdout, stderr })
    const left = untold.map((line) => `[not brought back to the workspace: ${line}]`)
    const details = {
      exitCode,
      ...(await shortStreams(powers, { stdout, stderr }, signal)),
      ...(untold.length > 0 ? { notBroughtBack: [...untold] } : {}),
    }
    const outcome = text([...(told === "" ? [] : [told]), ...left].join("\n"), details)
    return open || exec.tainted ? { ...outcome, untrusted: true } : outcome
  } finally {
    signal.removeEventListener("abort", stop)
    await exec.end()
  }
}

/** Finds a command that was started before a restart of this Worker. */
export async function theSame(exec: Exec, id: string): Promise<ProcessState> {
  const state = await exec.look(id)
  if (state) return state
  throw new Error("this began before an interruption, and its sandbox is gone: check what it did before you run it again")
}

/** Polls with growing intervals: a request that waits inside the sandbox would block others. */
async function untilEnded(exec: Exec, begun: ProcessState, signal: AbortSignal, onUpdate: OnUpdate | undefined): Promise<ProcessState> {
  let state = begun
  let shown = 0
  for (let wait = FIRST_LOOK; state.running; wait = Math.min(wait * 1.5, SLOWEST_LOOK)) {
    await pause(wait, signal)
    signal.throwIfAborted()
    const now = await exec.look(state.id)
    if (now === undefined) throw new Error("the sandbox was lost with the command's results: run it again if that does no harm")
    state = now
    if (onUpdate && state.stdout > shown) {
      const part = await exec.output(state.id, "stdout", Math.max(shown, state.stdout - SHOWN), SHOWN)
      shown = state.stdout
      onUpdate(text(new TextDecoder().decode(part)))
    }
  }
  return state
}

async function streamOf(exec: Exec, state: ProcessState, stream: Stream): Promise<string> {
  const size = state[stream]
  if (size === 0) return ""
  const from = Math.max(0, size - MOST_OUTPUT)
  const body = await exec.output(state.id, stream, from, MOST_OUTPUT)
  const shown = decode(body) ?? (body.includes(0) ? undefined : new TextDecoder().decode(body))
  if (shown === undefined) return `[${size} bytes that are not text; write them to a file with >]\n`
  return from === 0 ? shown : `[${from} bytes before this are left out]\n${shown}`
}

const isRecord = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)
