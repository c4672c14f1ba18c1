// bash and shell.exec: run a command line over the run's workspace [T20]. A nonzero exit code is not a tool failure: files that commands
// wrote stay, as in any shell. The tool fails, and nothing is written, if its time limit or a cancel ends the call.
//
// The guard judges `access.bash.deny` beforehand (core/tool/policy/shell-commands.ts); the file system keeps the shell within bounds [G7].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { ending } from "../../core/secrets/beginning.ts"
import { NO_SECRETS } from "../../core/secrets/redact.ts"
import { Breath } from "../../ports/breath.ts"
import { text, type Tool, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"
import type { JsonObject } from "../../core/json.ts"
import type { ShellEnd } from "./bash-shell.ts"
import { folderOf, string } from "../files/workspace-file.ts"
import { speaksOfSkills, withSkills } from "./skill-mount.ts"
import { lazy } from "../../core/lazy.ts"

const shell = lazy(() => import("./bash-shell.ts"))

const TIMEOUT = 30_000
const DETAILS_CHARS = 12_000 // limit: characters of each stream in a result's details → the rest is cut

const ABOUT =
  "Run a bash command line over the files of the workspace; / is its root and every call starts in the folder it names. Pipes, redirection, loops, grep, sed, awk, jq, sort, find, diff and other text tools; no network, no installed programs, no background processes. Files that it changes are kept, variables and empty folders are not. Answers stdout, stderr and the exit code when it is not 0."

const COMMAND = {
  type: "string",
  minLength: 1,
  maxLength: 100_000,
  description: "The command line, or a script of several lines.",
}
const TIME = { type: "integer", minimum: 1, maximum: 86_400_000, description: `Milliseconds it may take. Default: ${TIMEOUT}.` }

const spec = {
  effect: "write",
  // Changes are staged with the result: a call whose result was lost did nothing [J11].
  idempotent: true,
  contexts: ["main", "agent", "architect"],
  same: "bash",
  groups: ["runtime"],
  timeout: TIMEOUT,
} as const

export const bash: Tool = {
  ...spec,
  name: "bash",
  label: "Shell",
  description: ABOUT.replace("the folder it names", "it"),
  parameters: {
    type: "object",
    properties: { command: COMMAND, timeout: TIME },
    required: ["command"],
    additionalProperties: false,
  },
  execute: (_callId, params, signal, _onUpdate, powers) => inWorker(params, signal, powers),
}

export const shellExec: Tool = {
  ...spec,
  name: "shell.exec",
  label: "Shell",
  description: ABOUT.replace("the folder it names", "cwd"),
  parameters: {
    type: "object",
    properties: {
      command: COMMAND,
      cwd: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder of the workspace to start in. Default: its root." },
      timeout: TIME,
    },
    required: ["command"],
    additionalProperties: false,
  },
  execute: (_callId, params, signal, _onUpdate, powers) => inWorker(params, signal, powers),
}

/** Runs a command line in the Worker's own shell. */
export async function inWorker(params: JsonObject, signal: AbortSignal, powers: ToolPowers): Promise<ToolOutcome> {
  const folder = folderOf(params, "cwd")
  const command = string(params, "command")
  const workspace = speaksOfSkills(command, folder) ? await withSkills(powers.workspace, powers.skills) : powers.workspace
  if (folder !== "" && (await workspace.survey(folder)).every((file) => file.path === folder))
    throw new Error(`cwd: there is no folder ${folder}: use ls to see what there is`)
  const { runShell } = await shell()
  const end = await runShell(workspace, command, `/${folder}`, signal)
  const { exitCode, stdout, stderr } = end
  return text(said(end), { exitCode, ...(await shortStreams(powers, { stdout, stderr }, signal)) })
}

/** The exit code comes last because truncation keeps the end [T5]. */
export function said({ exitCode, stdout, stderr }: Pick<ShellEnd, "exitCode" | "stdout" | "stderr">): string {
  const parts = stdout === "" ? [] : [stdout.endsWith("\n") ? stdout.slice(0, -1) : stdout]
  if (stderr !== "") parts.push(`[stderr]\n${stderr.endsWith("\n") ? stderr.slice(0, -1) : stderr}`)
  if (exitCode !== 0) parts.push(`[exit code ${exitCode}]`)
  return parts.join("\n")
}

/** The ends of both streams. Secrets are removed first, so that no cut leaves half of one [T32]. */
export async function shortStreams(
  { redactor }: ToolPowers,
  streams: { readonly stdout: string; readonly stderr: string },
  signal: AbortSignal,
): Promise<{ stdout: string; stderr: string }> {
  const short = (stream: string): Promise<string> => new Breath(signal).through(ending(stream, DETAILS_CHARS, redactor?.() ?? NO_SECRETS))
  return { stdout: await short(streams.stdout), stderr: await short(streams.stderr) }
}
