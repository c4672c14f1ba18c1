// `sluice serve --production` as a process of its own, and every other command of the command line.

import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const CLI = fileURLToPath(new URL("../../cli/sluice.ts", import.meta.url))

export const KEYS = { VAULT_KEY: "w8bX2kq0vPz7RtYcN5hJ3mLs9dFgA1eU", ADMIN_KEY: "Zq4nT7yHk2Vb9XcM0pLr5sWd8fGj3aEo" }
/** For what hangs and nothing else. */
const PATIENCE_MS = 120_000

const started = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL")
})

export const own = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  SLUICE_PROFILES: "/nonexistent/profiles.json",
  ...more,
})

export interface ServedHere {
  readonly url: string
  readonly child: ChildProcess
  /** SIGTERM; its exit code. */
  stop(): Promise<number | null>
}

/** `command`: a program and its words, which print `{"type":"serving", …}`. */
export async function served(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string, uid?: number): Promise<ServedHere> {
  const [program = "", ...words] = command
  const child = spawn(program, words, { env, cwd, stdio: ["ignore", "pipe", "pipe"], ...(uid === undefined ? {} : { uid, gid: uid }) })
  started.add(child)
  let said = ""
  child.stderr.on("data", (text: Buffer) => (said += text.toString()))
  const url = await new Promise<string>((found, fail) => {
    const timer = setTimeout(() => fail(new Error(`it does not serve: ${said}`)), PATIENCE_MS)
    createInterface({ input: child.stdout }).on("line", (line) => {
      const text = /"serving","url":"([^"]+)"|^Sluice serves (\S+)/.exec(line)
      if (text === null) return
      clearTimeout(timer)
      found(text[1] ?? text[2] ?? "")
    })
    child.once("exit", (code) => fail(new Error(`it ended with ${String(code)}: ${said}`)))
  })
  return {
    url,
    child,
    async stop() {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      return (await ended)[0] as number | null
    },
  }
}

export const serveHere = (data: string, env: Readonly<Record<string, string>> = KEYS): Promise<ServedHere> =>
  served([process.execPath, CLI, "serve", "--production", data, "--port", "0", "--json"], own(env), path.dirname(data))

export function sluice(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { env: own(env), encoding: "utf8", timeout: PATIENCE_MS })
  return { code: status, text: stdout + stderr }
}
