// Starts a run on a server with the platform's limits, waits for its end without asking it, and says what went wrong.

import { z } from "zod"
import type { PlatformPlan } from "../../local/limits/plans.ts"
import type { Server } from "../../local/server.ts"
import { LOCAL_KEY } from "../../local/settings.ts"

/** "Well before the bound": at most this part of a plan's calls. */
const SHARE = 0.7
const LONGEST_MS = 3_600_000

const Peak = z.object({
  calls: z.number(),
  inner: z.number(),
  waiting: z.number(),
  queued: z.number(),
  invocations: z.number(),
  dynamic: z.number(),
})
const Shown = z.object({
  request: Peak,
  object: Peak,
  courier: Peak,
  refused: z.record(z.string(), z.number()),
  unknown: z.number(),
})
const Started = z.object({ id: z.string() })
const Seen = z.object({ status: z.string(), ended: z.string().nullish(), error: z.object({ message: z.string() }).nullish() })

export class LimitedClient {
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  async ask(method: string, at: string, body?: object): Promise<unknown> {
    const response = await fetch(new URL(at, this.#server.url), {
      method,
      headers: { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  /** Runs a flow; says what went wrong. */
  run(plan: PlatformPlan, flow: string, body: object): Promise<string[]> {
    return this.counted(plan, flow, async () => {
      const { id } = Started.parse(await this.ask("POST", `/v1/flows/${flow}/runs`, { task: "go", ...body }))
      const run = await this.#ended(id)
      return run.status === "succeeded" ? [] : [`the run is ${run.status}: ${run.error?.message ?? ""}`]
    })
  }

  /** What went wrong with `work`, and which bounds it came near to. */
  async counted(plan: PlatformPlan, name: string, work: () => Promise<string[]>): Promise<string[]> {
    await fetch(new URL("/__limits?reset=1", this.#server.url))
    const from = performance.now()
    const faults = await work().catch((e: unknown) => [e instanceof Error ? e.message : String(e)])
    const shown = Shown.parse(await (await fetch(new URL("/__limits", this.#server.url))).json())
    console.log(`${plan.name} ${name}: ${Math.round((performance.now() - from) / 1000)} s, ${JSON.stringify(shown)}`)
    return [
      ...faults,
      ...Object.entries(shown.refused).map(([why, count]) => `refused ${count} times: ${why}`),
      ...(shown.unknown === 0 ? [] : [`${shown.unknown} calls belong to no invocation: this mode does not see them`]),
      ...(["request", "object", "courier"] as const).flatMap((kind) => [
        ...near(`${kind}: calls`, shown[kind].calls, plan.calls * SHARE),
        ...near(`${kind}: calls to services`, shown[kind].inner, plan.inner * SHARE),
        ...near(`${kind}: invocations`, shown[kind].invocations, plan.invocations),
      ]),
    ]
  }

  /** The status comes from the list of runs, which is the tenant's object: the run's own is left alone. */
  async #ended(id: string): Promise<z.infer<typeof Seen>> {
    for (const until = Date.now() + LONGEST_MS; Date.now() < until;) {
      const { data } = z.object({ data: z.array(Seen.extend({ id: z.string() })) }).parse(await this.ask("GET", "/v1/runs?limit=20"))
      const row = data.find((one) => one.id === id)
      if (typeof row?.ended === "string") return row
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    throw new Error(`the run ${id} has not ended`)
  }
}

const near = (what: string, count: number, most: number): string[] =>
  count > most ? [`${what}: ${count}, and at most ${Math.round(most)} are far from the bound`] : []
