// The launcher against real processes: leftovers of a kill, ownership of a data folder, a taken port.

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { findProcess } from "../../local/processes.ts"

const launch = fileURLToPath(new URL("launch.ts", import.meta.url))

// Stores a row and an alarm: enough to show that data and timers survive a kill.
const WORKER = `
import { DurableObject } from "cloudflare:workers"
export class TenantObject extends DurableObject {}
export class MemoryObject extends DurableObject {}
export class RunObject extends DurableObject {
  constructor(ctx, env) { super(ctx, env); ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS seen (what TEXT, due INTEGER)") }
  arm(ms) { const due = Date.now() + ms; this.ctx.storage.sql.exec("INSERT INTO seen VALUES ('armed', ?)", due); return this.ctx.storage.setAlarm(due) }
  alarm() { this.ctx.storage.sql.exec("INSERT INTO seen VALUES ('fired', ?)", Date.now()) }
  seen() { return this.ctx.storage.sql.exec("SELECT * FROM seen").toArray() }
}
export default { async fetch(request, env) {
  const { pathname, searchParams } = new URL(request.url), run = env.RUN.getByName("one")
  if (pathname === "/arm") await run.arm(Number(searchParams.get("ms")))
  if (pathname === "/throw") throw new Error(env.VAULT_KEY + " https://x.example/?q=qCANARY authorization: Bearer bCANARY", { cause: new Error("token=cCANARY") })
  if (pathname === "/fetch") return fetch(searchParams.get("url"))
  return Response.json({ environment: env.ENVIRONMENT, hosts: env.ALLOWED_PRIVATE_HOSTS ?? null, seen: await run.seen() })
} }
`

let home: string
const started = new Set<ChildProcess>()

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-server-test-"))
  await writeFile(path.join(home, "worker.js"), WORKER)
})
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  await rm(home, { recursive: true, force: true })
})

interface Launched {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: readonly number[]
}

async function serve(data: string, env: Record<string, string> = {}): Promise<Launched> {
  const child = run(data, env)
  const out = await Promise.race([once(child.stdout ?? child, "data").then(String), failure(child)])
  const { url, ended } = JSON.parse(out)
  return { child, url, ended }
}

function run(data: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [launch, path.join(home, "worker.js")], {
    env: { ...process.env, HOST: "", PORT: "0", SLUICE_DATA: path.join(home, data), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.add(child)
  return child
}

async function failure(child: ChildProcess): Promise<never> {
  let text = ""
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()))
  // Its last output may arrive after its exit.
  const [code] = await once(child, "close")
  throw new Error(`exit ${String(code)}: ${text}`)
}

async function stop(it: Launched, signal: NodeJS.Signals): Promise<void> {
  it.child.kill(signal)
  await once(it.child, "exit")
}

const look = async (url: string): Promise<{ environment: string; hosts: string | null; seen: { what: string; due: number }[] }> =>
  (await fetch(url)).json()
const note = async (data: string): Promise<{ launcher: { pid: number }; workerd: { pid: number } }> =>
  JSON.parse(await readFile(path.join(home, data, "server.json"), "utf8"))

/** One server for what looks at a running one, or ends only its workerd: a start takes most of a second of CPU. */
let running: Promise<Launched> | undefined
const shared = (): Promise<Launched> =>
  (running ??= serve("shared", { ALLOWED_PRIVATE_HOSTS: "127.0.0.1", VAULT_KEY: "a vault key CANARY of this server" }))

/** A zombie still accepts signal 0; this does not count it as alive. */
const isAlive = (pid: number): boolean => findProcess(pid) !== undefined

// Generous limits, since these are processes on a busy machine.
const SOON = { timeout: 60_000 }

describe("local server", () => {
  test("[J14] after kill -9 of the launcher the next start ends the workerd it left behind, and keeps port and data", async () => {
    const first = await serve("killed")
    await fetch(`${first.url}/arm?ms=60000`)
    const before = await look(first.url)
    const { workerd } = await note("killed")
    await stop(first, "SIGKILL")
    expect(isAlive(workerd.pid)).toBe(true)

    const port = new URL(first.url).port
    const second = await serve("killed", { PORT: port })
    expect(second.ended).toEqual([workerd.pid])
    expect(isAlive(workerd.pid)).toBe(false)
    expect(new URL(second.url).port).toBe(port)
    expect((await look(second.url)).seen).toEqual(before.seen)
    await stop(second, "SIGTERM")
  })

  test("[J12] an alarm that fell due while nothing ran fires at the next start", async () => {
    /** The kill must come before the alarm is due; on a slower machine the alarm is set for later. */
    async function armedAndKilled(ms: number): Promise<{ readonly data: string; readonly due: number }> {
      const data = `overdue-${ms}`
      const first = await serve(data)
      const { workerd } = await note(data)
      await fetch(`${first.url}/arm?ms=${ms}`)
      const due = (await look(first.url)).seen.find((row) => row.what === "armed")?.due ?? 0
      process.kill(workerd.pid, "SIGKILL")
      await stop(first, "SIGKILL")
      return Date.now() < due ? { data, due } : armedAndKilled(4 * ms)
    }
    const { data, due } = await armedAndKilled(1_500)
    while (Date.now() <= due) await new Promise((resume) => setTimeout(resume, due + 1 - Date.now()))

    const second = await serve(data)
    await vi.waitFor(async () => expect((await look(second.url)).seen.map((row) => row.what)).toEqual(["armed", "fired"]), SOON)
    await stop(second, "SIGTERM")
  })

  test("[N8] what the runtime says of an uncaught error is in the log without secrets", async () => {
    const it = await shared()
    expect((await fetch(`${it.url}/throw`)).status).toBe(500)
    const log = path.join(home, "shared", "server.log")
    await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain("Error: [secret:instance] https://x.example/…"), SOON)
    expect(await readFile(log, "utf8")).not.toContain("CANARY")
  })

  test("[J10] a workerd that dies is restarted on the same port and data", async () => {
    const it = await shared()
    await fetch(`${it.url}/arm?ms=60000`)
    const before = await look(it.url)
    const { workerd } = await note("shared")
    process.kill(workerd.pid, "SIGKILL")
    await vi.waitFor(async () => expect(await look(it.url)).toEqual(before), SOON)
    await vi.waitFor(async () => expect((await note("shared")).workerd.pid).not.toBe(workerd.pid), SOON)
  })

  test("[N5] the Worker knows that it is local, and can reach loopback", async () => {
    const it = await shared()
    const answer = await look(it.url)
    expect(answer).toMatchObject({ environment: "local", hosts: "127.0.0.1" })
    expect(await look(`${it.url}/fetch?url=${encodeURIComponent(it.url)}`)).toEqual(answer)
  })

  test("[J14] a running launcher keeps its data folder: a second launcher names it and leaves it alone", async () => {
    const it = await shared()
    await expect(serve("shared")).rejects.toThrow(
      new RegExp(`in use by another server \\(process ${it.child.pid}, on port ${new URL(it.url).port}\\)`),
    )
    expect((await look(it.url)).environment).toBe("local")
  })

  test("[J14] a note of a dead process, of another process, or a truncated note blocks nothing and ends nothing", async () => {
    const stranger = spawn("sleep", ["60"])
    try {
      for (const text of [
        JSON.stringify({
          launcher: { pid: stranger.pid, started: "another day" },
          workerd: { pid: stranger.pid, started: "another day" },
          port: 1,
        }),
        '{"launcher": {"pid"',
        "",
      ]) {
        await mkdir(path.join(home, "noted"), { recursive: true })
        await writeFile(path.join(home, "noted", "server.json"), text)
        const it = await serve("noted")
        expect(it.ended).toEqual([])
        await stop(it, "SIGTERM")
      }
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    } finally {
      stranger.kill()
    }
  })

  test("a taken port is reported with a fix, and the data folder is released", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const address = other.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    await expect(serve("taken", { PORT: String(port) })).rejects.toThrow(
      `sluice: port ${port} on 127.0.0.1 is used by another program: stop it, or choose another port: PORT=${port + 1}`,
    )
    other.close()
    await once(other, "close")
    // On any port: another program may use that one by now.
    const it = await serve("taken")
    expect((await look(it.url)).environment).toBe("local")
    await stop(it, "SIGTERM")
  })

  test("an invalid PORT is reported", async () => {
    await expect(serve("port", { PORT: "80a" })).rejects.toThrow('PORT is "80a": give a number from 0 to 65535')
  })

  test("[J14] SIGTERM also ends workerd and releases the folder", async () => {
    const it = await shared()
    const { workerd } = await note("shared")
    running = undefined // The tests before it have looked, and one has replaced its workerd.
    await stop(it, "SIGTERM")
    expect(it.child.exitCode).toBe(0)
    expect(isAlive(workerd.pid)).toBe(false)
    expect(await readdir(path.join(home, "shared"))).not.toContain("server.json")
    const next = await serve("shared")
    expect(next.ended).toEqual([])
    await stop(next, "SIGTERM")
  })
})
