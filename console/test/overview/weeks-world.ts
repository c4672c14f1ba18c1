// A server that has run a flow for ten weeks, whose newest revision is worse: in the reader's time it is evening, so that the day has runs.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { startServer } from "../../../local/server.ts"
import { readSettings } from "../../../local/settings.ts"
import { failing } from "../failures-world.ts"
import type { World } from "../world.ts"
import { writeWeeks } from "./weeks.ts"

const WORKER = "dist/console-worker.js"
export const FLOW = "weekly"
const EVENING = 20
const WORSE_HOURS = 6

export interface WeeksWorld {
  readonly world: World
  /** Of the reader, in hours from UTC. */
  readonly zone: number
  /** Of the catalog: before and since the change of the flow. */
  readonly revisions: readonly [before: number, worse: number]
  close(): Promise<void>
}

/** Hours from UTC at which it is evening now; names of zones end at 14. */
function zoneOf(now: number): number {
  const zone = EVENING - new Date(now).getUTCHours()
  return zone > 12 ? zone - 24 : zone
}

export async function startWeeks(other: World): Promise<WeeksWorld> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-weeks-"))
  const start = (port: string) =>
    startServer(
      readSettings({ ...process.env, HOST: "", PORT: port, SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: "127.0.0.1,localhost" }),
      WORKER,
    )
  let server = await start("0")
  const api = async (method: string, place: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${other.key}`, "content-type": "application/json" }
    const answer = await fetch(server.url + place, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { url } = server
  const world: World = { ...other, url, api }
  try {
    await api("PUT", "/v1/settings/providers/scenes", { kind: "openai-compatible", baseUrl: other.model.url, apiKey: "not-needed-here" })
    await api("PUT", "/v1/settings/roles", { default: "scenes/m" })
    await api("PUT", "/v1/catalog", {
      agents: { "helper.md": "---\nname: helper\ndescription: Helps\n---\nHelp with ${{task}}\n" },
      flows: {},
    })
    const { write, fail } = failing(world)
    const revision = async (): Promise<number> =>
      ((await api("GET", "/v1/catalog/history?limit=1")) as { readonly data: readonly { readonly revision: number }[] }).data[0]
        ?.revision ?? 0
    await write(FLOW, "hello")
    const before = await revision()
    await write(FLOW, "gives-up")
    const worse = await revision()
    await fail(FLOW, 2)
    // A limit in dollars would need a price of the model.
    await api("PUT", "/v1/settings/budget", { usd: 45 })
    await api("POST", "/v1/schedules", { flow: FLOW, cron: "0 9 * * 1-5", zone: "UTC", task: "Orders of the week" })
    const now = Date.now()
    const zone = zoneOf(now)
    await server.close()
    writeWeeks(data, now, { flow: FLOW, steps: ["look", "write"], revisions: [before, worse], worseHours: WORSE_HOURS, zone })
    server = await start(new URL(url).port)
    return {
      world,
      zone,
      revisions: [before, worse],
      async close() {
        await server.close()
        await rm(data, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await server.close()
    await rm(data, { recursive: true, force: true })
    throw error
  }
}
