// A reader's two terminals: one bash for a page's commands, and the server. Each leads its own process group, so that
// everything a page leaves running ends with it.

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import path from "node:path"

export interface Done {
  /** The exit code; 0 is success. */
  readonly code: number
  readonly output: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** Printed by bash after each block, with the block's exit code. */
const END = /\(the block ended with (\d+)\)\n/
const BLOCK_WITHIN_MS = 120_000
const SERVER_WITHIN_MS = 120_000

export class Shell {
  readonly #bash: ChildProcess
  readonly #file: string
  readonly #ended: Promise<number>
  #output = ""
  #received = (): void => {}
  readonly #kill = (): void => signal(this.#bash, "SIGKILL")

  /** `folder` receives the text of the current block. */
  constructor(cwd: string, folder: string, env: Variables) {
    this.#file = path.join(folder, "block.sh")
    this.#bash = start(["--noprofile", "--norc"], cwd, env)
    this.#ended = once(this.#bash, "exit").then(([code]: unknown[]) => (typeof code === "number" ? code : 1))
    for (const stream of [this.#bash.stdout, this.#bash.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text
        this.#received()
      })
    process.once("exit", this.#kill)
    this.#bash.stdin?.on("error", () => {})
    this.#bash.stdin?.write("set -uo pipefail\n")
  }

  /** Runs one block. A failing block ends the shell, unless it `mayFail`. */
  async run(script: string, mayFail: boolean): Promise<Done> {
    await writeFile(this.#file, `${script}\n`)
    this.#output = ""
    const said = new Promise<Done>((done) => {
      this.#received = () => {
        const end = END.exec(this.#output)
        if (end) done({ code: Number(end[1]), output: this.#output.slice(0, end.index) })
      }
    })
    this.#bash.stdin?.write(`set ${mayFail ? "+" : "-"}e\n. '${this.#file}' </dev/null\nprintf '(the block ended with %s)\\n' "$?"\n`)
    const died = this.#ended.then((code): Done => ({ code: code || 1, output: this.#output }))
    return Promise.race([said, died, late(BLOCK_WITHIN_MS, () => this.#output)])
  }

  close(): Promise<void> {
    process.off("exit", this.#kill)
    return endGroup(this.#bash, "SIGKILL")
  }
}

export class ServerTerminal {
  readonly #env: Variables
  #server: ChildProcess | undefined

  constructor(env: Variables) {
    this.#env = env
    process.once("exit", () => this.#server && signal(this.#server, "SIGKILL"))
  }

  /** Ctrl-C, then the command; done when the server prints how to try it, and `sluice dev` what it has found. */
  async run(script: string, cwd: string): Promise<Done> {
    await this.close("SIGINT")
    const server = start(["-c", script], cwd, this.#env)
    this.#server = server
    let output = ""
    const ready = new Promise<Done>((done) => {
      for (const stream of [server.stdout, server.stderr])
        stream?.setEncoding("utf8").on("data", (text: string) => {
          output += text
          if (/^(Try:$|The dispatcher serves |  (?:not )?done after )/m.test(output)) done({ code: 0, output })
        })
    })
    const died = once(server, "exit").then((): Done => ({ code: 1, output }))
    return Promise.race([ready, died, late(SERVER_WITHIN_MS, () => output)])
  }

  async close(how: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server) await endGroup(server, how)
  }
}

const start = (args: readonly string[], cwd: string, env: Variables): ChildProcess =>
  spawn("bash", args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] })

function signal(leader: ChildProcess, how: NodeJS.Signals): void {
  try {
    if (leader.pid !== undefined) process.kill(-leader.pid, how)
  } catch {
    // The group is already gone.
  }
}

async function endGroup(leader: ChildProcess, how: NodeJS.Signals): Promise<void> {
  const hasEnded = leader.exitCode !== null || leader.signalCode !== null
  const ended = hasEnded ? undefined : once(leader, "exit")
  signal(leader, how)
  await ended
  // Processes that ignored the signal, or that a killed leader left behind.
  signal(leader, "SIGKILL")
}

function late(ms: number, output: () => string): Promise<Done> {
  return new Promise((done) => {
    setTimeout(() => done({ code: 124, output: `${output()}\n(no end within ${ms / 1000} s)` }), ms).unref()
  })
}
