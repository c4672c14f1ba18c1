// `sluice dev --json` of the packed package, and what it tells.

import { spawn, type ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"

/** For what hangs and nothing else. */
const PATIENCE_MS = 180_000

export interface Served {
  readonly url: string
  /** The next message of this type, as `dev --json` tells them. */
  until(type: string, which?: (told: Readonly<Record<string, unknown>>) => boolean): Promise<Readonly<Record<string, unknown>>>
}

/** `command`: Node and the command line. */
export async function serve(
  [node = "", ...command]: readonly string[],
  { cwd, env, more }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly more: readonly string[] },
  children: ChildProcess[],
): Promise<Served> {
  const child = spawn(node, [...command, "dev", "--port", "0", "--json", ...more], { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  children.push(child)
  const told: Record<string, unknown>[] = []
  let wake = (): void => {}
  createInterface({ input: child.stdout }).on("line", (line) => {
    told.push(JSON.parse(line) as Record<string, unknown>)
    wake()
  })
  child.once("exit", () => {
    told.push({ type: "exit" })
    wake()
  })
  const waited = (type: string): Promise<void> =>
    new Promise((resolve, fail) => {
      const timer = setTimeout(() => fail(new Error(`dev has not told "${type}" for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const until: Served["until"] = async (type, which = () => true) => {
    for (;;) {
      const next = told.shift()
      if (next === undefined) await waited(type)
      else if (next["type"] === type && which(next)) return next
      else if (next["type"] === "failed") throw new Error(`dev failed: ${String(next["message"])}`)
      else if (next["type"] === "exit") throw new Error(`dev ended before it printed "${type}"`)
    }
  }
  const { url } = await until("serving")
  return { url: String(url), until }
}
