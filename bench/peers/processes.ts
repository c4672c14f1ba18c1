// Starts the servers in this folder: each is a .mjs file that writes one line with its address when it is ready (serve.mjs).

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const Ready = z.object({ url: z.string(), keyed: z.string().optional() })

export interface Process {
  readonly url: string
  /** For w5, if its runs have an address of their own. */
  readonly keyed: string | undefined
  readonly pid: number
  stop(): Promise<void>
}

/** `file` is relative to this folder. `node`: the Node.js that it runs on, if not this one. */
export async function start(file: string, settings: Readonly<Record<string, string>> = {}, node = process.execPath): Promise<Process> {
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(node, [fileURLToPath(new URL(file, import.meta.url)), ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  child.stderr.on("data", (part: Buffer) => (said = `${said}${part.toString()}`.slice(-4_000)))
  const ready = await readyOf(child)
  if (ready === undefined) throw new Error(`bench/peers/${file} ended before it was ready (${child.exitCode ?? "no code"}):\n${said}`)
  return { url: ready.url, keyed: ready.keyed, pid: child.pid ?? 0, stop: () => stopped(child) }
}

async function readyOf(child: ChildProcess): Promise<z.infer<typeof Ready> | undefined> {
  if (!child.stdout) return undefined
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const ready = Ready.safeParse(jsonOf(line))
    if (!ready.success) continue
    child.stdout.resume()
    return ready.data
  }
  return undefined
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  const late = setTimeout(() => child.kill("SIGKILL"), 5_000)
  await ended
  clearTimeout(late)
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
