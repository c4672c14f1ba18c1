// `npm run scale -- --tenant`: measures the work of a tenant's object for a start and for a report, without the run: CPU of workerd for the
// calls that the Worker and the desks make, with a real run's data. The measurement itself fills the tenant's database, with some 5,000
// runs in the end.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { z } from "zod"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { Api } from "../api.ts"
import { median, short } from "../figures.ts"
import { chain } from "../flows.ts"
import { treeOf, usedBy } from "../peers/process-tree.ts"

const CALLS = 400
const BATCHES = [1, 100] as const
const ROUNDS = 3

export async function tenantCosts(): Promise<string> {
  writeFileSync("dist/asking.mjs", WORKER)
  const built = await buildWorker("dist/asking.mjs", "dist/asking.js")
  const data = mkdtempSync(path.join(os.tmpdir(), "sluice-tenant-"))
  const server = await startServer(readSettings({ PORT: "0", SLUICE_DATA: data, REQUEST_LOG: "off" }), built)
  try {
    const api = new Api(server.url)
    await api.setUp([chain(10)])
    for (let n = 0; n < 3; n++) await api.run("bench-chain-10")
    const asked = async (query: string): Promise<number> => {
      const cpu = (): number => treeOf(process.pid).reduce((sum, pid) => sum + (pid === process.pid ? 0 : usedBy(pid).cpu), 0)
      const before = cpu()
      const answer = await fetch(`${server.url}/__ask?${query}`)
      z.object({ failed: z.literal(0) }).parse(await answer.json())
      return (cpu() - before) / CALLS
    }
    const kinds = ["start=1", ...BATCHES.map((batch) => `batch=${batch}`)]
    const seen = kinds.map((): number[] => [])
    for (let round = 0; round <= ROUNDS; round++)
      for (const [i, kind] of kinds.entries()) {
        const ms = await asked(`${kind}&calls=${CALLS}&round=${round}`)
        // The first round compiles.
        if (round > 0) seen[i]?.push(ms)
      }
    return kinds.map((kind, i) => `${kind}: ${short(median(seen[i] ?? []))} ms`).join("\n")
  } finally {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** The Worker, and a door that repeats the last start and the last report of a run that ended, each time as another run's. */
const WORKER = `import worker, { TenantObject as Own } from "../src/index.ts"
export * from "../src/index.ts"
const last = {}
export class TenantObject extends Own {
  ask(room, method, args) {
    if (method === "pin" && args[1]?.start) last.pin = [room, args]
    if (method === "note" && args[0].ended !== undefined) last.note = args[0]
    return super.ask(room, method, args)
  }
}
export default {
  ...worker,
  async fetch(request, env, ctx) {
    const url = new URL(request.url)
    if (url.pathname !== "/__ask") return worker.fetch(request, env, ctx)
    const [calls, batch, round] = ["calls", "batch", "round"].map((name) => Number(url.searchParams.get(name)))
    const id = (n) => "run_" + [batch, round, n].join("x").padStart(26, "0")
    const tenant = env.TENANT.get(env.TENANT.idFromName("local"))
    let failed = 0
    for (let n = 0; n < calls; n += batch || 1) {
      if (batch === 0) {
        const [room, [target, options]] = last.pin
        const pinned = await tenant.ask(room, "pin", [target, { ...options, start: { ...options.start, run: id(n) } }])
        if (pinned.ok === false) failed++
        // Its report, so that its place is free again.
        else await tenant.ask("runs", "note", [{ ...last.note, id: id(n), view: { ...last.note.view, id: id(n) } }])
        continue
      }
      const notes = Array.from({ length: batch }, (_, i) => ({ ...last.note, id: id(n + i), view: { ...last.note.view, id: id(n + i) } }))
      const started = notes.map(({ id: run }) => ({ run, at: Date.now() }))
      if (batch === 1) await tenant.ask("runs", "note", [notes[0]])
      else failed += (await tenant.ask("desks", "report", [{ desk: 0, epoch: "e", lease: 0, free: 0, wants: false, started, promises: [], notes }])).noted.filter((one) => one === null).length
    }
    return Response.json({ failed })
  },
}
`
