// A server with nothing but what `npm start` makes on an empty data folder.

import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { firstRuns, makeFirstRuns, START } from "../../local/first-run.ts"
import { DEMO } from "../../local/greeting.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { Sluice } from "../../src/client/sluice.ts"
import type { World } from "./world.ts"

const WORKER = "dist/console-worker.js"

export async function startFirst(world: World): Promise<{ readonly world: World; readonly api: Sluice; close(): Promise<void> }> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-first-"))
  const server = await startServer(readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data }), WORKER)
  const api = new Sluice({ url: server.url, key: world.key })
  const close = async (): Promise<void> => {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
  try {
    const missing = await firstRuns(api)
    assert.ok(missing)
    await makeFirstRuns(api, missing)
    await api.flows.wait(DEMO.flow, { ...START, task: DEMO.task }, 60)
    return { world: { ...world, url: server.url }, api, close }
  } catch (error) {
    await close()
    throw error
  }
}
