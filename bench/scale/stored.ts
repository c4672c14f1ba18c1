// `npm run scale -- --stored`: the bytes that a run leaves in its own database and in its tenant's, from the pages of their SQLite files. The
// tenant's is the difference between two counts of runs, so that what an empty tenant takes does not count.

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { buildWorker } from "../../local/build.ts"
import { Api, atOnce } from "../api.ts"
import { median, short, sum } from "../figures.ts"
import { chain } from "../flows.ts"
import { Server } from "../server.ts"

const FIRST = 20
const STEPS = 10

export async function stored(runs: number): Promise<string> {
  await buildWorker()
  const data = mkdtempSync(path.join(os.tmpdir(), "sluice-stored-"))
  const pages = (kind: string): number[] => pagesOf(path.join(data, "do", `sluice-${kind}`))
  try {
    const before = await after(data, FIRST, () => sum(pages("TenantObject")))
    const [tenant, each] = await after(data, runs, () => [sum(pages("TenantObject")), pages("RunObject")] as const)
    return `${runs} runs of ${STEPS} steps: ${short((tenant - before) / runs)} bytes a run in the tenant's database, ${short(median(each))} bytes in the run's own.`
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** What is there when `runs` more have ended. The files are read while nobody writes. */
async function after<T>(data: string, runs: number, read: () => T): Promise<T> {
  const server = await Server.start(data)
  try {
    const api = new Api(server.url)
    await api.setUp([chain(STEPS)])
    await atOnce(runs, 16, () => api.run(`bench-chain-${STEPS}`))
  } finally {
    await server.stop()
  }
  return read()
}

function pagesOf(folder: string): number[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sqlite") && file !== "metadata.sqlite")
    .map((file) => {
      const database = new DatabaseSync(path.join(folder, file))
      const used = database
        .prepare(
          "SELECT (c.page_count - f.freelist_count) * s.page_size AS bytes FROM pragma_page_count c, pragma_freelist_count f, pragma_page_size s",
        )
        .get()
      database.close()
      return Number(used?.["bytes"] ?? 0)
    })
}
