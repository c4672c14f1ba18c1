// Counts a Sluice run's calls between objects, statements, rows and hashes, with counters around the objects of the checkout's own Worker.
// The wrapper is generated from the checkout's classes, so it works for any commit.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { z } from "zod"
import type * as Builds from "../../local/build.ts"
import type * as Servers from "../../local/server.ts"
import type * as Settings from "../../local/settings.ts"
import { pause } from "../server.ts"
import { bodyOf } from "./ask.ts"
import type { Work } from "./contender.ts"
import { type Checkout, run, setUp } from "./sluice.ts"

const RUNS: Readonly<Record<Work, number>> = { w1: 20, w2: 3, w3: 5, w4: 5, w5: 20 }
/** A run's last note, and an alarm 10 s after its end. */
const SETTLE_MS = 13_000

export async function insideCounts({ root }: Checkout, model: string): Promise<readonly { work: Work; per_run: Record<string, number> }[]> {
  const own = (file: string): string => pathToFileURL(path.resolve(root, file)).href
  const { buildWorker }: typeof Builds = await import(own("local/build.ts"))
  const { startServer }: typeof Servers = await import(own("local/server.ts"))
  const { readSettings }: typeof Settings = await import(own("local/settings.ts"))
  writeFileSync(path.join(root, "dist/counting.mjs"), worker(readFileSync(path.join(root, "wrangler.toml"), "utf8")))
  const built = await buildWorker("dist/counting.mjs", "dist/counting.js")
  const bundle = path.join(root, built)
  // Each call is counted where it stands: a built-in's named import cannot be replaced from outside.
  writeFileSync(bundle, readFileSync(bundle, "utf8").replaceAll(/\bcreateHash\d*(?=\()/g, "(globalThis.counted('hashes'), $&)"))
  const data = mkdtempSync(path.join(os.tmpdir(), "sluice-counts-"))
  const server = await startServer(readSettings({ PORT: "0", SLUICE_DATA: data, REQUEST_LOG: "off" }), built)
  try {
    await setUp(server.url, model)
    const all = []
    for (const work of ["w1", "w2", "w3", "w4"] as const) {
      for (let n = 0; n < 2; n++) await run(server.url, work, "agents")
      await pause(SETTLE_MS)
      await totals(server.url)
      for (let n = 0; n < RUNS[work]; n++) await run(server.url, work, "agents")
      await pause(SETTLE_MS)
      const seen = Object.entries(await totals(server.url)).toSorted(([a], [b]) => (a < b ? -1 : 1))
      all.push({ work, per_run: Object.fromEntries(seen.map(([what, n]) => [what, n / RUNS[work]])) })
    }
    return all
  } finally {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  }
}

const totals = async (url: string): Promise<Record<string, number>> =>
  z.record(z.string(), z.number()).parse(JSON.parse(await bodyOf("GET", `${url}/__counted`)))

/** The Worker's text. `GET /__counted` gives the counts since it was last asked. */
function worker(config: string): string {
  const spaces = [...config.matchAll(/^name = "([A-Z_]+)"\nclass_name = "(\w+)"/gm)].map(([, binding = "", name = ""]) => ({
    binding,
    name,
  }))
  return `import worker, * as all from "../src/index.ts"
export * from "../src/index.ts"
let counts = {}, cursors = []
globalThis.counted = (what, n = 1) => void (counts[what] = (counts[what] ?? 0) + n)
const digest = SubtleCrypto.prototype.digest
SubtleCrypto.prototype.digest = function (...args) { counted("hashes"); return digest.apply(this, args) }
function watched(name, ctx) {
  const { storage } = ctx, { sql, kv } = storage
  const exec = sql.exec.bind(sql), put = kv.put.bind(kv), setAlarm = storage.setAlarm.bind(storage)
  sql.exec = (...args) => { counted(name + " statements"); const cursor = exec(...args); cursors.push({ name, cursor }); return cursor }
  kv.put = (...args) => { counted(name + " rows written"); return put(...args) }
  storage.setAlarm = (...args) => { counted(name + " alarm writes"); return setAlarm(...args) }
  return ctx
}
const space = (name, real) => new Proxy(real, { get: (target, key) => {
  const value = target[key]
  if (typeof value !== "function") return value
  return key === "get" || key === "getByName" ? (...args) => stub(name, value.apply(target, args)) : value.bind(target)
} })
const stub = (name, real) => new Proxy(real, { get: (target, key) => {
  const value = target[key]
  if (typeof value !== "function") return value
  return (...args) => { counted("calls to " + name); return Reflect.apply(value, target, args) }
} })
const SPACES = ${JSON.stringify(Object.fromEntries(spaces.map(({ binding, name }) => [binding, name])))}
const around = (env) => ({ ...env, ...Object.fromEntries(Object.entries(SPACES).filter(([b]) => env[b]).map(([b, name]) => [b, space(name, env[b])])) })
${spaces
  .map(
    ({ name }) => `const Own${name} = all.${name}
class Watched${name} extends Own${name} {
  constructor(ctx, env) { super(watched("${name}", ctx), around(env)) }
  alarm(...args) { counted("${name} alarms"); return super.alarm?.(...args) }
}
export { Watched${name} as ${name} }`,
  )
  .join("\n")}
export default {
  ...worker,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/__counted") return worker.fetch(request, around(env), ctx)
    for (const { name, cursor } of cursors) { counted(name + " rows read", cursor.rowsRead); counted(name + " rows written", cursor.rowsWritten) }
    const totals = counts
    counts = {}; cursors = []
    return Response.json(totals)
  },
}
`
}
