// Runs the shell behind bash and shell.exec: the just-bash library over the workspace [T20]. No network, no host, no secrets in its
// environment; missing commands are reported as missing. docs/decisions/0011 says why this library and how it is bounded.
//
// bash.ts loads this at the first call: most runs never need the library's 1.4 MB, so the Worker does not evaluate it at startup.

import { library } from "#shell-library"
import type { Workspace } from "../../ports/workspace.ts"
import { pause } from "../../ports/timers.ts"
import { COMMANDS } from "./bash-commands.ts"
import { fromLatin1 } from "../files/bash-encoding.ts"
import { BashFiles } from "./bash-files.ts"
import { ShellMeter, ShellOver } from "./shell-meter.ts"
import { decode as textFrom } from "../files/workspace-file.ts"

export interface ShellEnd {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// What one command line may hold; what it may compute is in shell-meter.ts.
const LIMITS = {
  // The meter ends what computes, and the call's own limit what waits: the library's clock ends nothing.
  maxExecutionTimeMs: 3_600_000,
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

/** Throws for an aborted call, a failing workspace, or more work than a call may do. */
export async function runShell(workspace: Workspace, command: string, cwd: string, signal: AbortSignal): Promise<ShellEnd> {
  const meter = new ShellMeter(signal)
  const files = new BashFiles(workspace, await meter.waitFor(workspace.survey("")), () => Date.now(), meter)
  const { stdout, stderr, exitCode, stdoutEncoding } = await inTime(meter, signal, () => {
    const { Bash } = library(meter)
    const shell = new Bash({
      fs: files,
      cwd,
      env: { HOME: "/", PWD: cwd },
      executionLimitProfile: "hardened",
      executionLimits: LIMITS,
      customCommands: COMMANDS,
      sleep: (ms) => meter.waitFor(pause(ms)),
      // The library's second line of defense would replace globals of the whole isolate, which other runs share.
      defenseInDepth: false,
    })
    return shell.exec(command, { signal, rawScript: true })
  })
  await files.flush(signal)
  const said = inOurWords(stderr)
  const cut = meter.tooLong !== undefined && !said.includes(meter.tooLong) ? `bash: ${meter.tooLong}\n` : ""
  return {
    exitCode: exitCode === 0 && (files.lost || meter.tooLong !== undefined) ? 1 : exitCode,
    stdout: stdoutEncoding === "binary" || stdout.includes("\0") ? shown(stdout) : stdout,
    stderr: said + cut + files.untold(said),
  }
}

/** The result, unless the meter ended the line: then whatever the library makes of that is no result. */
async function inTime<T>(meter: ShellMeter, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run()
    signal.throwIfAborted()
    if (meter.over !== undefined) throw new ShellOver(meter.over)
    return result
  } catch (e) {
    signal.throwIfAborted()
    if (meter.over !== undefined) throw new ShellOver(meter.over)
    throw isDeep(e) ? new Error("the command line is nested too deeply: take it apart") : e
  } finally {
    // Whatever it left running ends at its next step.
    meter.end("it has ended")
  }
}

/** The engine's own error, also when it met the end of the stack inside a pattern. */
const isDeep = (e: unknown): boolean => e instanceof Error && /call stack size|stack overflow/i.test(e.message)

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
