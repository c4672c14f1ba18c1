// The shell behind bash and shell.exec: the just-bash library over the workspace [T20]. No network, no host, no secrets in its environment;
// missing commands are reported as missing. docs/decisions/0011 says why this library and how it is bounded.
//
// The library loads at the first call: most runs never need its 1.2 MB, so the Worker does not evaluate it at startup.

import type { Workspace } from "../../ports/workspace.ts"
import { COMMANDS } from "./bash-commands.ts"
import { fromLatin1 } from "./bash-encoding.ts"
import { BashFiles } from "./bash-files.ts"
import { decode as textFrom } from "../files/workspace-file.ts"

export interface ShellEnd {
  /** The output shows file names that may come from outside [G11]. */
  readonly outside: boolean
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// A loop in the shell does not yield to the event loop, and a Worker's clock does not advance meanwhile: neither the call's time limit
// nor the library's own deadline ends it; only counting does. Measured on one core of 2026: 20,000 commands take 0.2 to 2.5 s,
// a million iterations of an awk loop 0.6 s, sed over 100,000 lines 2.3 s. A request has 30 s of CPU.
const LIMITS = {
  maxSourceBytes: 256 * 1024,
  maxCommandCount: 20_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 1_000_000,
  maxJqIterations: 100_000,
  maxSedIterations: 100_000,
  maxWorkUnits: 1_000_000,
  maxQueryElements: 500_000,
  maxInputBytes: 32 * 1024 * 1024,
  maxLiveBytes: 48 * 1024 * 1024,
  maxStringLength: 10 * 1024 * 1024,
  maxOutputSize: 16 * 1024 * 1024,
  maxArchiveBytes: 16 * 1024 * 1024,
  maxArchiveEntryBytes: 10 * 1024 * 1024,
}

/** Throws for what no shell can survive: an aborted call, a failing workspace. */
export async function runShell(workspace: Workspace, command: string, cwd: string, signal: AbortSignal): Promise<ShellEnd> {
  const { Bash } = await import("just-bash/browser")
  const files = new BashFiles(workspace, await workspace.list(""), () => Date.now())
  const shell = new Bash({
    fs: files,
    cwd,
    env: { HOME: "/", PWD: cwd },
    executionLimitProfile: "hardened",
    executionLimits: LIMITS,
    customCommands: COMMANDS,
    // The library's second line of defense would replace globals of the whole isolate, which other runs share.
    defenseInDepth: false,
  })
  const { stdout, stderr, exitCode, stdoutEncoding } = await shell.exec(command, { signal, rawScript: true })
  signal.throwIfAborted()
  await files.flush()
  const said = inOurWords(stderr)
  return {
    exitCode: exitCode === 0 && files.lost ? 1 : exitCode,
    stdout: stdoutEncoding === "binary" || stdout.includes("\0") ? shown(stdout) : stdout,
    stderr: said + files.untold(said),
    outside: files.namedOutside,
  }
}

/** The library passes binary data with one character per byte. */
const shown = (stdout: string): string => {
  const text = textFrom(fromLatin1(stdout))
  return text === undefined ? `[${stdout.length} bytes that are not text; write them to a file with >]\n` : text
}

/** The library's message addresses its integrator; here the reader is a model. */
function inOurWords(stderr: string): string {
  return stderr
    .replaceAll(/: command not available in browser environments\.[^\n]*/g, ": command not found")
    .replaceAll(/, increase executionLimits\.\w+/g, "")
}
