// The shell behind bash and shell.exec: the just-bash library over the workspace [T20]. No network, no host, no secret in its environment;
// what it lacks it says. docs/decisions/0011 tells why this library and how it is kept within bounds.
//
// It is loaded at the first call: 1.2 MB that most runs never need are not evaluated when the Worker starts.

import type { Workspace } from "../../ports/workspace.ts"
import { COMMANDS } from "./bash-commands.ts"
import { fromLatin1 } from "./bash-encoding.ts"
import { BashFiles } from "./bash-files.ts"
import { decode as textFrom } from "../files/workspace-file.ts"

export interface ShellEnd {
  /** Names of files were shown that may come from outside [G11]. */
  readonly outside: boolean
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// A loop in here does not leave the turn of the event loop, and a Worker's clock stands still meanwhile: neither the call's time limit
// nor the library's own deadline ends it, only counting does. Measured on one core of 2026: 20,000 commands take 0.2 to 2.5 s,
// a million turns of an awk loop 0.6 s, sed over 100,000 lines 2.3 s. A request has 30 s of CPU.
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

/** Throws what no shell would survive: a call that was ended, a workspace that is out of order. */
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
    // Its second line of defence replaces globals of the whole isolate, in which other runs live.
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

/** What is not text the library hands over with a character for each byte. */
const shown = (stdout: string): string => {
  const text = textFrom(fromLatin1(stdout))
  return text === undefined ? `[${stdout.length} bytes that are not text; write them to a file with >]\n` : text
}

/** The library speaks to the programmer who set it up; here a model reads. */
function inOurWords(stderr: string): string {
  return stderr
    .replaceAll(/: command not available in browser environments\.[^\n]*/g, ": command not found")
    .replaceAll(/, increase executionLimits\.\w+/g, "")
}
