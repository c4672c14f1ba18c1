// How `sluice dev` starts, what other commands of the folder do meanwhile, and how much of the program a command reads.

import { spawn, spawnSync } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { noteServer, projectOf } from "../../cli/dev/server-notes.ts"
import { forgetSession, noteSession, servedSession } from "../../cli/dev/session.ts"
import { PACKAGE } from "../../cli/package-name.ts"
import { projectWorker } from "../../cli/project/worker.ts"
import { workerEntry } from "../../cli/scaffold.ts"
import { sluice } from "./sluice.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-start-"))
  await mkdir(path.join(folder, "src"))
  await writeFile(path.join(folder, "sluice.yaml"), "name: start\n")
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe("the project's Worker", () => {
  const into = (): string => path.join(folder, ".sluice/worker")
  let built = 0
  const worker = async (): Promise<string | undefined> => projectWorker(folder, into(), () => (built += 1))

  test("[K21] is built when what it is made of has changed, and only then", async () => {
    built = 0
    await writeFile(path.join(folder, "src/index.ts"), 'import { name } from "./name.ts"\nexport default { name }\n')
    await writeFile(path.join(folder, "src/name.ts"), 'export const name = "a"\n')
    const file = await worker()
    expect([built, file]).toEqual([1, path.join(into(), "worker.js")])
    expect([await worker(), built]).toEqual([file, 1])
    await writeFile(path.join(folder, "src/name.ts"), 'export const name = "b"\n')
    expect([await worker(), built]).toEqual([file, 2])
    await writeFile(path.join(folder, "tsconfig.json"), "{}\n")
    expect([await worker(), built]).toEqual([file, 3])
    await rm(path.join(folder, "src/name.ts"))
    await expect(worker()).rejects.toThrow("src/index.ts does not build")
  })

  test("[K21] as init wrote it, it is the shipped one", async () => {
    built = 0
    await writeFile(path.join(folder, "src/index.ts"), workerEntry(PACKAGE))
    expect([await worker(), built]).toEqual([undefined, 0])
  })
})

describe("while the server of the folder starts", () => {
  test("[F80] a command waits for it", async () => {
    await noteSession(folder, { draft: "dev" })
    let waits = 0
    const found = servedSession(folder, () => {
      waits += 1
      void noteSession(folder, { draft: "dev", url: "http://127.0.0.1:1" })
    })
    expect(await found).toMatchObject({ url: "http://127.0.0.1:1" })
    expect(waits).toBe(1)
    await forgetSession(folder)
    expect(await servedSession(folder, () => (waits += 1))).toBeUndefined()
    expect(waits).toBe(1)
  })

  test("[N5] a command in one project never asks the server of another by the usual port", async () => {
    const env = { SLUICE_PROFILES: path.join(folder, "config/profiles.json") }
    const other = await mkdtemp(path.join(tmpdir(), "sluice-other-"))
    await noteServer(env, "http://127.0.0.1:8787", other)
    const { code, err } = await sluice(["runs"], { cwd: folder, env })
    expect(code).toBe(2)
    expect(err).toBe(
      `sluice: http://127.0.0.1:8787 is the server of another project, ${other}: start sluice dev here, or name a server (--url, --profile)\n`,
    )
    // Its own server may be there, and so may one whose session was killed.
    await noteServer(env, "http://127.0.0.1:8787", folder)
    expect(await projectOf(env, "http://127.0.0.1:8787")).toBe(folder)
    const gone = spawnSync(process.execPath, ["-e", ""]).pid
    await writeFile(path.join(folder, "config/servers/8787.json"), JSON.stringify({ pid: gone, folder: other }))
    expect(await projectOf(env, "http://127.0.0.1:8787")).toBeUndefined()
    await rm(other, { recursive: true })
  })
})

describe("what a command reads of the program", () => {
  const COUNTER = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from "node:module"
    const seen = []
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
    process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(seen.filter((url) => url.startsWith("file:")))))
  `)}`
  const loaded = async (...args: string[]): Promise<readonly string[]> => {
    const child = spawn(process.execPath, ["--import", COUNTER, path.join(root, "cli/sluice.ts"), ...args], { cwd: folder })
    let err = ""
    child.stderr.on("data", (part: Buffer) => (err += String(part)))
    await new Promise((done) => child.once("close", done))
    return JSON.parse(err.split("\n").at(-1) ?? "") as string[]
  }

  // Each costs about 0.5 ms of CPU; a command must take less than 0.4 s on Node 20.
  test.each([
    ["--help", 310, /\/(?:yaml|miniflare|esbuild|undici|@clack)\//],
    ["validate", 790, /\/(?:miniflare|esbuild|undici|just-bash|@clack|hono|@ai-sdk)\//],
  ])("[H11] %s reads at most %i files, and nothing large that it does not need", async (command, most, never) => {
    const files = await loaded(command)
    expect(files.length).toBeGreaterThan(50)
    expect(files.length).toBeLessThanOrEqual(most)
    expect(files.filter((url) => never.test(url))).toEqual([])
  })
})
