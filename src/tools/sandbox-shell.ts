// bash and shell.exec when a sandbox is bound [T20]: the same tools for every rule, with a real machine behind them. The files of the
// workspace are brought in before a command and brought back after it (sandbox-files.ts).
//
// The command runs in the sandbox whether or not this Worker lives on. A call that is made again goes on with the command that it began,
// and with nothing else: when that is not there any more, the call fails and says so [J11].

import type { Exec, ProcessState, Stream } from "../ports/exec.ts"
import { text, type OnUpdate, type Tool, type ToolOutcome, type ToolPowers } from "../ports/tool.ts"
import { bash, clip, run, said, shellExec } from "./bash.ts"
import { bringBack, bringIn, type Brought } from "./sandbox-files.ts"
import { OPEN, openMark, REACH } from "./sandbox-reach.ts"
import { filesUnder, folderOf, integer, string } from "./workspace-file.ts"
import { decode } from "./workspace-file.ts"

/** Builds and installations take their time, and a sandbox that was asleep takes seconds to wake. */
const TIMEOUT = 120_000
/** After the call's own time the sandbox ends the command by itself, should nobody have told it to. */
const GRACE = 10_000
/** Of each stream, from its end. */
const MOST_OUTPUT = 2 * 1024 * 1024
const FIRST_LOOK = 50
const SLOWEST_LOOK = 2_000
/** What is shown while it runs. */
const SHOWN = 2_000

const ABOUT = (open: boolean): string =>
  `Run a bash command line in a Linux sandbox of this run, ${open ? "with network access" : "without network access"}. Every call starts in the folder it names, where /workspace holds the files of the workspace; files changed there are kept (node_modules, .git, .venv and __pycache__ stay in the sandbox), and programs that were installed stay for the run. Variables are not kept, and what is left running with & is ended with the command: use process.start for that. Answers stdout, stderr and the exit code when it is not 0.`

/** `open`: the sandbox reaches the network, so that a command may send away what it reads and its answer may be anybody's words [G11]. */
export function sandboxShell(open: boolean): readonly Tool[] {
  return [bash, shellExec].map((tool): Tool => {
    const { parameters, idempotent: _staged, ...spec } = tool
    return {
      ...spec,
      description: ABOUT(open).replace("the folder it names", tool === bash ? "it" : "cwd").replace(", where /workspace", tool === bash ? ", and /workspace" : ", /workspace"),
      parameters: withTime(parameters),
      timeout: TIMEOUT,
      // Kept by its call's name: what was begun is not begun twice.
      idempotent: true,
      ...(open ? OPEN : {}),
      reach: REACH,
      execute: (_callId, params, signal, onUpdate, powers) =>
        powers.exec === undefined ? run(params, signal, powers) : inSandbox(powers.exec, params, signal, onUpdate, powers, open),
    }
  })
}
