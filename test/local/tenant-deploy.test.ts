// `npm run tenant:deploy` [N2]: what it writes for a separate instance, what it refuses, and that a dry run sends nothing. One deploy and one refusal
// are processes; the others run in the test's, with the modules that the deploy has built.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { buildModules } from "../../local/build.ts"
import { Trouble } from "../../local/trouble.ts"
import { keepPlace, placeOf } from "../../scripts/instance-record.ts"
import { deploy } from "../../scripts/tenant-deploy.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const NAME = `try-${process.pid}`
const OTHER = `${NAME}-b`
const folderOf = (name: string): string => path.join(root, "dist/tenants", name)
const recordOf = (name: string): string => path.join(root, "instances", `${name}.json`)
const keep = async (name: string, record: string): Promise<void> => {
  await mkdir(path.dirname(recordOf(name)), { recursive: true })
  await writeFile(recordOf(name), record)
}

/** A fake of the platform's API. */
let asked = 0
const api = createServer((_, answer) => {
  asked += 1
  // Every caller is unknown here, an answer that clients do not retry.
  answer.writeHead(403, { "content-type": "application/json" })
  answer.end(JSON.stringify({ success: false, errors: [{ code: 10_000, message: "Authentication error" }], messages: [], result: null }))
})

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** As a process. */
async function launched(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["scripts/tenant-deploy.ts", ...args], { cwd: root })
  let out = ""
  let err = ""
  child.stdout.on("data", (part: Buffer) => (out += String(part)))
  child.stderr.on("data", (part: Buffer) => (err += String(part)))
  const [code] = (await once(child, "close")) as [number]
  return { code, out, err }
}

/** Built by the first deploy. */
const MODULES = `dist/tenants/${NAME}/modules`

/** In this process; `err` is the message of the refusal. */
async function deployed(...args: string[]): Promise<Ended> {
  const said = vi.spyOn(console, "log").mockImplementation(() => {})
  const copied = async (folder?: string): Promise<readonly string[]> => {
    if (!existsSync(path.join(root, MODULES))) await buildModules(MODULES)
    await cp(path.join(root, MODULES), path.join(root, folder ?? ""), { recursive: true })
    return []
  }
  const err = await deploy(args, copied, "ignore").then(
    () => "",
    (error: unknown) => {
      if (error instanceof Trouble) return error.message
      throw error
    },
  )
  const out = said.mock.calls.flat().join("\n")
  said.mockRestore()
  return { code: err === "" ? 0 : 1, out, err }
}

/** The configuration that wrangler was given. */
function written(out: string): { file: string; config: Record<string, unknown> } {
  const file = /^\$ wrangler deploy --config (\S+)/m.exec(out)?.[1] ?? ""
  return { file, config: JSON.parse(readFileSync(path.join(root, file), "utf8")) as Record<string, unknown> }
}

function expectInstance(name: string, config: Record<string, unknown>): void {
  expect(config).toMatchObject({ name: `sluice-${name}`, kv_namespaces: [{ binding: "CACHE" }], vars: { ENVIRONMENT: "production" } })
  const { bindings } = config["durable_objects"] as { bindings: { class_name: string }[] }
  const made = (config["migrations"] as { new_sqlite_classes?: string[] }[]).flatMap((m) => m.new_sqlite_classes ?? [])
  // A migration creates each bound class, with SQLite.
  expect(bindings.map((b) => b.class_name).toSorted()).toEqual(made.toSorted())
  expect(existsSync(path.join(folderOf(name), "modules/index.mjs"))).toBe(true)
}

beforeAll(async () => {
  api.listen(0, "127.0.0.1")
  await once(api, "listening")
  const at = api.address()
  const url = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}/client/v4` : ""
  for (const [name, value] of [
    ["CLOUDFLARE_API_BASE_URL", url],
    ["CLOUDFLARE_API_TOKEN", "none"],
    ["CLOUDFLARE_ACCOUNT_ID", "0".repeat(32)],
    ["WRANGLER_SEND_METRICS", "false"],
  ] as const)
    vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  api.close()
  for (const name of [NAME, OTHER]) {
    await rm(folderOf(name), { recursive: true, force: true })
    await rm(recordOf(name), { force: true })
  }
})

describe("a dry run", () => {
  test("[N2] writes a separate instance's configuration and deploys nothing", async () => {
    const alone = await launched(NAME, "--dry-run", "--url", "https://acme.example.com")
    expect([alone.code, alone.out.includes("Nothing was deployed.")]).toEqual([0, true])
    expect(asked).toBe(0)
    const { config } = written(alone.out)
    expectInstance(NAME, config)
    expect(config).toMatchObject({ r2_buckets: [{ binding: "BLOBS" }], vars: { PUBLIC_URL: "https://acme.example.com" } })
    expect(JSON.stringify(config)).not.toContain("jurisdiction")
    expect(alone.out).not.toContain("--dispatch-namespace")

    // Nothing was created, so any location is still possible: only a deploy is recorded.
    expect(existsSync(recordOf(NAME))).toBe(false)
  })
})

describe("what it refuses", () => {
  test("[N2] an unknown option: one message, nothing written", async () => {
    const { code, out, err } = await launched(NAME, "--dry-rum")
    expect([code, out]).toEqual([1, ""])
    expect(err).toMatch(/^sluice: .+\n$/s)
    expect(err).toContain("--dry-rum")
    expect(err).not.toContain("    at ")
    expect(asked).toBe(0)
  })
  test.each([
    ["no name", [], "name the instance"],
    ["a path out of the folder", ["../../src", "--dry-run"], '"../../src" is not a name for an instance'],
    ["an unknown jurisdiction", [NAME, "--dry-run", "--jurisdiction", "mars"], '--jurisdiction is "mars"'],
  ])("[N2] %s: one message, nothing written", async (_, args, says) => {
    const { code, out, err } = await deployed(...args)
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain(says)
    expect(asked).toBe(0)
  })
  test("[N1, N2] a jurisdiction other than that of the first deploy is refused", async () => {
    await keep(NAME, '{"jurisdiction": "eu"}')
    const { code, err } = await deployed(NAME, "--dry-run", "--jurisdiction", "us")
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`the instance ${NAME} is in the jurisdiction eu according to instances/${NAME}.json`),
    ])
    expect(err).toContain("deploy it without --jurisdiction")
    await keep(NAME, '{"jurisdiction": null}')
    expect((await deployed(NAME, "--dry-run", "--jurisdiction", "us")).err).toContain("is in no jurisdiction")
  })
})

describe("an instance's location", () => {
  test("[N1, N2] an invalid record does not count as a first deploy", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "sluice-record-"))
    expect(placeOf(folder, "acme")).toBeUndefined()
    for (const place of ["eu", "us", null] as const) {
      keepPlace(folder, "acme", place)
      expect(placeOf(folder, "acme")).toBe(place)
    }
    for (const record of ["{}", "", '{"jurisdiction": "mars"}']) {
      await writeFile(path.join(folder, "instances/acme.json"), record)
      expect(() => placeOf(folder, "acme")).toThrow("instances/acme.json does not give the instance's jurisdiction")
    }
    await rm(folder, { recursive: true })
  })

  test("[N1, N2] is recorded by its first deploy, outside the build output, and applies to all later deploys", async () => {
    await rm(recordOf(OTHER), { force: true })
    // The platform refuses everything here, but a real attempt may have created a bucket.
    const first = await deployed(OTHER, "--jurisdiction", "eu")
    expect([first.code, JSON.parse(readFileSync(recordOf(OTHER), "utf8"))]).toEqual([1, { jurisdiction: "eu" }])
    const inEu = { r2_buckets: [{ binding: "BLOBS", jurisdiction: "eu" }], vars: { JURISDICTION: "eu" } }
    expect(written(first.out).config).toMatchObject(inEu)
    await rm(folderOf(OTHER), { recursive: true, force: true })
    const later = await deployed(OTHER, "--dry-run", "--dispatch")
    expect([later.code, later.out.includes("Nothing was deployed.")]).toEqual([0, true])
    const { config } = written(later.out)
    expectInstance(OTHER, config)
    expect(config).toMatchObject(inEu)
    expect(later.out).toContain(`--dispatch-namespace sluice --dry-run`)
  })
})
