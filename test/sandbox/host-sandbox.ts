// A sandbox for tests: real processes of this machine, in a separate folder, do a container's work. It has the four methods that
// src/cloudflare/platform/sandbox-stub.ts uses from the SDK's class, and behaves the same: a sandbox's commands run one after another, and its
// processes end with it. It runs any command on the machine of the tests, so it is here and not in src or local.

import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** A sandbox's folders, which are elsewhere on this machine (src/cloudflare/sandbox/container-control.ts). */
const WORKSPACE = "/workspace"
const STATE = "/tmp/.sluice"

/** Set in the environment of everything that runs in a sandbox: identifies its processes. */
const MARK = "SLUICE_TEST_SANDBOX"

export class HostSandbox {
  /** How often each method was called. */
  readonly calls = { exec: 0, writeFile: 0, readFile: 0, destroy: 0 }
  #root: Promise<string> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  /** undefined: not yet used, or destroyed. */
  get root(): Promise<string> | undefined {
    return this.#root
  }

  exec(
    command: string,
    { timeout = 60_000 }: { readonly timeout?: number } = {},
  ): Promise<{ stdout: string; stderr: string; exitCode: number }> {
    this.calls.exec++
    const turn = this.#turn.then(async () => {
      const root = await this.#folder()
      return new Promise<{ stdout: string; stderr: string; exitCode: number }>((resolve, reject) => {
        const child = spawn("bash", ["-c", placed(command, root)], {
          cwd: join(root, "workspace"),
          env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: root, LANG: "C.UTF-8", [MARK]: root },
          stdio: ["ignore", "pipe", "pipe"],
          timeout,
        })
        const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
        child.stdout.on("data", (part: Buffer) => stdout.push(part))
        child.stderr.on("data", (part: Buffer) => stderr.push(part))
        child.on("error", reject)
        child.on("close", (code) => resolve({ stdout: text(stdout), stderr: text(stderr), exitCode: code ?? 137 }))
      })
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async writeFile(path: string, content: string): Promise<void> {
    this.calls.writeFile++
    const root = await this.#folder()
    const body = Buffer.from(content, "base64")
    const at = placed(path, root)
    await mkdir(dirname(at), { recursive: true })
    // Absolute paths in scripts are paths in the sandbox.
    await writeFile(at, /\/control-\d+$|\.script$/.test(path) ? placed(body.toString("utf8"), root) : body)
  }

  async readFile(path: string): Promise<{ content: string }> {
    this.calls.readFile++
    return { content: (await readFile(placed(path, await this.#folder()))).toString("base64") }
  }

  async destroy(): Promise<void> {
    this.calls.destroy++
    const root = await this.#root
    this.#root = undefined
    if (root === undefined) return
    await killAll(root)
    await rm(root, { recursive: true, force: true })
  }

  /** Commands running in it now, except our own. */
  async running(): Promise<string[]> {
    const root = await this.#root
    return root === undefined ? [] : (await processesOf(root)).map(({ command }) => command)
  }

  #folder(): Promise<string> {
    return (this.#root ??= (async () => {
      const root = await mkdtemp(join(tmpdir(), "sluice-sandbox-"))
      await mkdir(join(root, "workspace"))
      return root
    })())
  }
}

/** All sandboxes of a namespace, by name. */
export class HostSandboxes {
  readonly byName = new Map<string, HostSandbox>()

  get(name: string): HostSandbox {
    const known = this.byName.get(name) ?? new HostSandbox()
    this.byName.set(name, known)
    return known
  }

  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.byName.values(), (sandbox) => sandbox.destroy()))
  }
}

const placed = (script: string, root: string): string =>
  script.replaceAll(WORKSPACE, `${root}/workspace`).replaceAll(STATE, `${root}/state`)
const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString("utf8")

/** By their environment, wherever they have moved since: no other process carries the mark. */
async function processesOf(root: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = []
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue
    try {
      if (!(await readFile(`/proc/${entry}/environ`, "utf8")).split("\0").includes(`${MARK}=${root}`)) continue
      found.push({ pid: Number(entry), command: (await readFile(`/proc/${entry}/cmdline`, "utf8")).split("\0").join(" ").trim() })
    } catch {
      // It ended during the look, or belongs to another user.
    }
  }
  return found
}

async function killAll(root: string): Promise<void> {
  for (let round = 0; round < 1_000; round++) {
    const left = await processesOf(root)
    if (left.length === 0) return
    for (const { pid } of left) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It ended by itself.
      }
    }
    await new Promise((resume) => setTimeout(resume, 10))
  }
}
