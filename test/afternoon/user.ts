// Types as a new user does: files, the package's commands, and other programs, on Node 20, with no setting of this machine.

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { Terminal } from "./terminal.ts"

export interface Ran {
  readonly code: number
  /** Both streams, as a terminal shows them. */
  readonly out: string
}

export interface Circumstances {
  readonly input?: string
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** For what hangs and nothing else. */
const PATIENCE_MS = 240_000

export class User {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly #children = new Set<ChildProcess>()

  /** `node`: a Node 20; `home` has nothing. */
  constructor(home: string, node: string, folder: string) {
    this.folder = folder
    this.env = {
      HOME: home,
      PATH: `${path.dirname(node)}:/usr/local/bin:/usr/bin:/bin`,
      XDG_CONFIG_HOME: path.join(home, "config"),
      NO_COLOR: "1",
      LANG: "C.UTF-8",
      npm_config_cache: process.env["npm_config_cache"] ?? path.join(process.env["HOME"] ?? home, ".npm"),
      npm_config_loglevel: "error",
    }
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(this.folder, name)), { recursive: true })
      await writeFile(path.join(this.folder, name), text)
    }
  }
  /** undefined: there is no such file. */
  read(name: string): Promise<string | undefined> {
    return readFile(path.join(this.folder, name), "utf8").catch(() => undefined)
  }
  remove(name: string): Promise<void> {
    return rm(path.join(this.folder, name), { force: true })
  }

  /** `npx sluice …`; npx itself, which takes longer to start than the command takes, is typed once, in `everything`. */
  sluice(args: readonly string[], more: Circumstances = {}): Promise<Ran> {
    return this.type(path.join(this.folder, "node_modules/.bin/sluice"), args, more)
  }
  async type(program: string, args: readonly string[], { input, cwd = this.folder, env = {} }: Circumstances = {}): Promise<Ran> {
    const child = this.#start(program, args, cwd, env)
    let out = ""
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stdin?.on("error", () => {})
    child.stdin?.end(input ?? "")
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS)
    const [code] = (await once(child, "close")) as [number | null]
    clearTimeout(timer)
    return { code: code ?? -1, out }
  }

  /** A command that stays, in a terminal of its own. */
  open(args: readonly string[], env: NodeJS.ProcessEnv = {}): Terminal {
    const program = path.join(this.folder, "node_modules/.bin/sluice")
    return new Terminal(this.#start(program, args, this.folder, env), `sluice ${args.join(" ")}`)
  }

  async leave(): Promise<void> {
    for (const child of this.#children) {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
    }
  }

  #start(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
    const child = spawn(program, args, { cwd, env: { ...this.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
    this.#children.add(child)
    child.once("exit", () => this.#children.delete(child))
    return child
  }
}
