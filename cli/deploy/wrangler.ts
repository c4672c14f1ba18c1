// The project's own wrangler: found, asked, and told what to do. Its output goes to the person, so that a refusal of the platform is read as it is.

import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import path from "node:path"

export interface CommandOutput {
  readonly code: number
  readonly out: string
}

export class Wrangler {
  readonly #bin: string
  readonly #folder: string
  /** The environment of wrangler.toml that is deployed; undefined: the Worker of its top. */
  readonly worker: string | undefined
  readonly #env: Readonly<Record<string, string | undefined>>

  private constructor(bin: string, folder: string, env: Readonly<Record<string, string | undefined>>, worker: string | undefined) {
    this.#bin = bin
    this.worker = worker
    this.#folder = folder
    this.#env = env
  }

  /** undefined: it is not installed in the folder or above. */
  static around(folder: string, env: Readonly<Record<string, string | undefined>>, worker?: string): Wrangler | undefined {
    const bin = binAround(folder)
    return bin === undefined ? undefined : new Wrangler(bin, folder, env, worker)
  }

  async isLoggedIn(): Promise<boolean> {
    return (await this.ask(["whoami", "--json"])).code === 0
  }

  /** The names of the Worker's secrets. Before the first deploy there is no Worker, and so no list. */
  async secrets(): Promise<readonly string[]> {
    const { code, out } = await this.ask(["secret", "list", "--format", "json", ...this.#ofWorker])
    return code === 0 ? [...out.matchAll(/"name"\s*:\s*"([^"]+)"/g)].map(([, name = ""]) => name) : []
  }

  deploy(args: readonly string[], show: (text: string) => void): Promise<CommandOutput> {
    return this.ask(["deploy", ...args, ...this.#ofWorker], show)
  }
  get #ofWorker(): readonly string[] {
    return this.worker === undefined ? [] : ["--env", this.worker]
  }

  /** `show` gets its output as it comes. */
  async ask(args: readonly string[], show: (text: string) => void = () => {}): Promise<CommandOutput> {
    const child = spawn(this.#bin, args, {
      cwd: this.#folder,
      env: { ...this.#env, WRANGLER_SEND_METRICS: "false" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      show(text)
    })
    child.stderr.setEncoding("utf8").on("data", show)
    const code = await new Promise<number>((done, fail) => {
      child.once("error", fail)
      child.once("close", (exit) => done(exit ?? 1))
    })
    return { code, out }
  }
}

/** The environment of wrangler.toml with this name. */
export const workerNamed = (toml: string, name: string): string | undefined =>
  toml
    .split("\n")
    .some((line) =>
      [`[env.${name}`, `[env."${name}"`].some((head) => line.trim().startsWith(`${head}]`) || line.trim().startsWith(`${head}.`)),
    )
    ? name
    : undefined

function binAround(from: string): string | undefined {
  const name = process.platform === "win32" ? "wrangler.cmd" : "wrangler"
  for (let folder = from; ; folder = path.dirname(folder)) {
    const bin = path.join(folder, "node_modules/.bin", name)
    if (existsSync(bin)) return bin
    if (path.dirname(folder) === folder) return undefined
  }
}
