// `sluice serve --production`: what it refuses before anything runs, and how it stops. The Worker is a project's own, so that a start is short;
// the shipped one is attacked with the local keys in test/own-server.

import { spawn, type ChildProcess } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { readSettings } from "../../local/settings.ts"
import { sluice } from "../package/sluice.ts"

const cli = fileURLToPath(new URL("../../cli/sluice.ts", import.meta.url))
const KEYS = { VAULT_KEY: "w8bX2kq0vPz7RtYcN5hJ3mLs9dFgA1eU", ADMIN_KEY: "Zq4nT7yHk2Vb9XcM0pLr5sWd8fGj3aEo" }
/** Of 32 characters each. */
const OTHER = "Hn3vK8rTq1ZwXy6LmB0cPd5sJf9gUe2A"

// Keeps the first key it has seen, answers slowly if asked to, and hears the launcher.
const WORKER = `
import { DurableObject } from "cloudflare:workers"
export class TenantObject extends DurableObject {}
export class MemoryObject extends DurableObject {}
export class DirectoryObject extends DurableObject {}
export class RunObject extends DurableObject {
  constructor(ctx, env) { super(ctx, env); ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS seen (key TEXT)") }
  holds() {
    const [row] = this.ctx.storage.sql.exec("SELECT key FROM seen").toArray()
    if (!row) this.ctx.storage.sql.exec("INSERT INTO seen VALUES (?)", this.env.VAULT_KEY)
    return (row?.key ?? this.env.VAULT_KEY) === this.env.VAULT_KEY
  }
}
let mayEnd = false
const later = (ms) => new Promise((wake) => setTimeout(wake, ms))
export default { async fetch(request, env) {
  const { pathname } = new URL(request.url)
  if (pathname === "/slow") {
    const { readable, writable } = new TransformStream(), writer = writable.getWriter(), text = new TextEncoder()
    void (async () => { await writer.write(text.encode("begun ")); while (!mayEnd) await later(10); await writer.write(text.encode("done")); await writer.close() })()
    return new Response(readable)
  }
  if (pathname === "/end") mayEnd = true
  if (pathname === "/endless") return new Response(new ReadableStream({ async pull(c) { await later(200); c.enqueue(new Uint8Array([46])) } }))
  const stops = (await env.DISK.fetch("http://disk/stopping")).ok
  return Response.json({ environment: env.ENVIRONMENT, stops, checks: { vault: await env.RUN.getByName("one").holds() } }, { status: stops ? 503 : 200 })
} }
`

let home: string
const started = new Set<ChildProcess>()

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-production-"))
  await mkdir(path.join(home, "project/src"), { recursive: true })
  await writeFile(path.join(home, "project/src/index.ts"), WORKER)
})
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
})

function run(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [cli, "serve", ...args], {
    env: { PATH: process.env["PATH"], HOME: home, SLUICE_PROFILES: path.join(home, "none"), ...env },
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.add(child)
  return child
}

/** In this process: a start of a process of its own takes most of a second of CPU. */
async function refused(args: readonly string[], env: Readonly<Record<string, string>> = KEYS): Promise<[number, string]> {
  const { code, err } = await sluice(["serve", ...args], { cwd: home, env })
  return [code, err.trim()]
}

async function serve(data: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = KEYS) {
  const child = run(["--production", data, "--port", "0", "--project", "project", "--json", ...more], env)
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const out = await Promise.race([once(child.stdout ?? child, "data").then(String), once(child, "close").then(() => said)])
  return { child, url: (JSON.parse(out) as { url: string }).url }
}

const SOON = { timeout: 60_000 }
const PRODUCTION = ["--production", "data"]

describe("sluice serve --production", () => {
  test.each<readonly [string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["without --production", ["data"], KEYS, "write sluice serve --production to serve with your own keys"],
    ["without a folder", ["--production"], KEYS, "name the folder of the data"],
    ["in the environment local", PRODUCTION, { ...KEYS, ENVIRONMENT: "local" }, "the environment is local, where everyone knows the keys"],
    ["without keys", PRODUCTION, {}, "made with `openssl rand -base64 32`"],
    [
      "with a key that a tutorial shows",
      PRODUCTION,
      { ...KEYS, ADMIN_KEY: "change-me-change-me-change-me-1234" },
      "ADMIN_KEY is an example or a pattern",
    ],
    [
      "with a file of a key that is not there",
      PRODUCTION,
      { ADMIN_KEY: KEYS.ADMIN_KEY, VAULT_KEY_FILE: "/nowhere/key" },
      "VAULT_KEY_FILE, /nowhere/key, cannot be used: it does not exist",
    ],
    ["with a project that has no Worker", [...PRODUCTION, "--project", "."], KEYS, "has no src/index.ts"],
  ])("[N5] %s it ends with 2 and one sentence", async (_, args, env, message) => {
    const [code, said] = await refused(args, env)
    expect([code, said]).toEqual([2, expect.stringContaining(message)])
    expect(said).not.toContain("\n")
  })

  test("[O50] a folder that others can read is refused with the command that closes it", async () => {
    await mkdir(path.join(home, "open"))
    await chmod(path.join(home, "open"), 0o755)
    const [code, said] = await refused(["--production", "open"])
    expect([code, said]).toEqual([2, expect.stringContaining(`chmod 700 ${path.join(home, "open")}`)])
    expect(await readdir(path.join(home, "open"))).toEqual([])
  })

  test("[O50] keys come from files; a second server, another VAULT_KEY and a lost one are told apart", async () => {
    const [vault, admin] = [path.join(home, "vault.key"), path.join(home, "admin.key")]
    await writeFile(vault, `${KEYS.VAULT_KEY}\n`)
    await writeFile(admin, KEYS.ADMIN_KEY)
    const files = { VAULT_KEY_FILE: vault, ADMIN_KEY_FILE: admin }
    const { child, url } = await serve("files", [], files)
    expect(await (await fetch(url)).json()).toEqual({ environment: "production", stops: false, checks: { vault: true } })
    expect((await stat(path.join(home, "files"))).mode & 0o077).toBe(0)
    expect((await refused(["--production", "files", "--project", "project"], files))[1]).toContain("is in use by another server (process ")
    child.kill("SIGTERM")
    await once(child, "exit")

    const wrong = await refused(["--production", "files", "--project", "project"], { ...KEYS, VAULT_KEY: OTHER })
    expect(wrong).toEqual([2, expect.stringContaining("was sealed under another VAULT_KEY")])
    // Without the mark, as a folder of before has none, the Worker itself says so.
    await rm(path.join(home, "files/vault"))
    const asked = await refused(["--production", "files", "--port", "0", "--project", "project"], { ...KEYS, VAULT_KEY: OTHER })
    expect(asked).toEqual([2, expect.stringContaining("if it is lost, start once with --new-vault-key")])
    const lost = await serve("files", ["--new-vault-key"], { ...KEYS, VAULT_KEY: OTHER })
    lost.child.kill("SIGTERM")
    await once(lost.child, "exit")
    expect((await refused(["--production", "files", "--project", "project"]))[1]).toContain("was sealed under another VAULT_KEY")
  })

  test("[O52] SIGTERM: the Worker hears it, nothing new comes in, what is under way ends, and the exit is 0", async () => {
    const { child, url } = await serve("stops")
    const slow = await fetch(`${url}/slow`)
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await vi.waitFor(async () => expect((await fetch(url)).status).toBe(503), SOON)
    await fetch(`${url}/end`)
    expect(await slow.text()).toBe("begun done")
    expect(await ended).toEqual([0, null])
    await expect(fetch(url)).rejects.toThrow()
    // The mark of the stop is not there for the next start.
    const again = await serve("stops")
    expect((await fetch(again.url)).status).toBe(200)
    // A reader that never ends holds nobody up for long: a second signal ends it at once.
    const reader = await fetch(`${again.url}/endless`)
    again.child.kill("SIGTERM")
    await vi.waitFor(async () => await expect(fetch(again.url)).rejects.toThrow(), SOON)
    again.child.kill("SIGTERM")
    expect((await once(again.child, "exit"))[0]).toBe(1)
    await reader.body?.cancel().catch(() => undefined)
  })
})

describe("keys that are not random", () => {
  test.each([
    ["an example", "0123456789abcdef-example-vault-key"],
    ["a sentence", "please-replace-me-with-your-own-key"],
    ["a row of the alphabet", "abcdefghijklmnopqrstuvwxyz012345"],
    ["a row of digits", "0123456789ABCDEF0123456789ABCDEF"],
    ["a short key, repeated", "kR7x9QzP2mkR7x9QzP2mkR7x9QzP2mkR7x9QzP2m"],
  ])("[N5] %s is refused", (_, key) => {
    expect(() => readSettings({ ENVIRONMENT: "production", ...KEYS, VAULT_KEY: key })).toThrow(
      "VAULT_KEY is an example or a pattern, not made at random",
    )
  })

  test("[N5] a random one never is", () => {
    const random = Array.from({ length: 2_000 }, (_, n) => createHash("sha256").update(`key ${n}`).digest())
    for (const bytes of random)
      for (const form of ["base64", "hex", "base64url"] as const)
        expect(() => readSettings({ ENVIRONMENT: "production", ...KEYS, VAULT_KEY: bytes.toString(form) })).not.toThrow()
  })

  test("[O50] a secret and its file at once are refused", () => {
    expect(() => readSettings({ ...KEYS, VAULT_KEY_FILE: "/dev/null" })).toThrow("VAULT_KEY and VAULT_KEY_FILE are both set")
  })
})
