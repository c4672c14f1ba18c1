// Runs of maps whose calls go through a batch API: a provider in place of `fetch`, a clock that the test moves, and objects that die when it
// says so. The clock is a day ahead, so the platform rings no alarm by itself, and the tenant is its own: its leases last into tomorrow.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { BatchProvider, type BatchApi, type Fate } from "../batch/batch-provider.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import * as house from "./house.ts"
import { tenant } from "./service-client.ts"

const DAY = 86_400_000
const POLLS = 2_000

let own = { id: "", key: "" }

export const call = (method: string, path: string, body?: unknown): Promise<Response> => house.call(method, path, body, {}, own.key)
export const ask = <T>(method: string, path: string, body?: unknown): Promise<T> => house.ask<T>(method, path, body, {}, own.key)
export const start = (name: string, body?: object): Promise<string> => house.start(name, body, own.key)
export const runOf = (id: string): Promise<RunView> => ask("GET", `/v1/runs/${id}`)
const eventsOf = async (id: string): Promise<RunEvent[]> =>
  (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data
const stub = (id: string) => house.stub(id, own.id)

export async function ended(id: string): Promise<RunView> {
  for (let n = 0; n < POLLS; n++) {
    const seen = await runOf(id)
    if (seen.ended !== undefined) return seen
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`run ${id} does not end`)
}

export class BatchStand {
  readonly provider: BatchProvider
  readonly #host: string
  readonly #realFetch = globalThis.fetch
  readonly #realNow = Date.now.bind(Date)
  #ahead = DAY

  constructor(api: BatchApi) {
    this.provider = new BatchProvider(api)
    this.#host = api === "messages" ? "api.anthropic.com" : "api.openai.com"
    Date.now = () => this.#realNow() + this.#ahead
    globalThis.fetch = (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      return new URL(url).host === this.#host ? this.provider.fetch(input, init) : this.#realFetch(input, init)
    }
  }

  restore(): void {
    Date.now = this.#realNow
    globalThis.fetch = this.#realFetch
  }

  pass(ms: number): void {
    this.#ahead += ms
  }

  async childrenOf(run: string): Promise<string[]> {
    return (await eventsOf(run)).flatMap((e) => (e.type === "child.started" ? [e.run] : []))
  }

  /** Rings the alarms of these runs, as if their time had come. */
  async ring(...runs: readonly string[]): Promise<void> {
    for (const run of runs) await runDurableObjectAlarm(stub(run)).catch(() => undefined)
  }

  async kill(run: string): Promise<void> {
    await runInDurableObject(stub(run), (_, state) => state.abort()).catch(() => undefined)
  }

  /** Until the condition holds; what works in the background goes on meanwhile. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let n = 0; n < POLLS; n++) {
      if (await holds()) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`never: ${what}`)
  }

  get calls(): number {
    return [...this.provider.batches.values()].reduce((sum, { calls }) => sum + calls.length, 0)
  }

  answer(fateOf: (body: Record<string, unknown>, n: number) => Fate = () => ({ args: { status: "complete", summary: "done" } })): void {
    this.provider.answer(fateOf)
  }

  /** The same, and the provider answers whatever it has. */
  async toEndWith(run: string): Promise<Awaited<ReturnType<typeof runOf>>> {
    for (let n = 0; n < 60 && (await runOf(run)).ended === undefined; n++) {
      this.answer()
      this.pass(600_000)
      await this.ring(run)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    return runOf(run)
  }

  /** Looks at the batches until the run has ended, and moves the clock by ten minutes each time. */
  async toEnd(run: string): Promise<Awaited<ReturnType<typeof runOf>>> {
    for (let n = 0; n < 40; n++) {
      this.pass(600_000)
      await this.ring(run)
      for (let polls = 0; polls < 40; polls++) {
        const seen = await runOf(run)
        if (seen.ended !== undefined) return seen
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    throw new Error(`run ${run} does not end: ${JSON.stringify(await runOf(run))}`)
  }
}

export const eventsNamed = async <T extends RunEvent["type"]>(run: string, type: T): Promise<Extract<RunEvent, { type: T }>[]> =>
  (await eventsOf(run)).filter((e): e is Extract<RunEvent, { type: T }> => e.type === type)

export async function foundBatchTenant(id: string): Promise<void> {
  own = await tenant(id)
  await ask("PUT", "/v1/settings/providers/claude", { kind: "anthropic", apiKey: "test-key" })
  await ask("PUT", "/v1/settings/providers/gpt", { kind: "openai", apiKey: "test-key" })
  await putBatchFlows()
}

const putBatchFlows = (): Promise<unknown> =>
  ask("PUT", "/v1/catalog", {
    agents: {
      "ba-one.md": "---\nname: ba-one\ndescription: d\nmodel: claude/claude-sonnet-4-5\ntools: []\n---\n${{task}}\n",
      "ba-two.md": "---\nname: ba-two\ndescription: d\nmodel: gpt/gpt-5\ntools: []\n---\n${{task}}\n",
    },
    flows: {
      "ba-item.yaml": "name: ba-item\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: ba-one }\n",
      "ba-item-two.yaml": "name: ba-item-two\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: ba-two }\n",
      "ba-map.yaml": `name: ba-map\ndescription: d\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-item, batch_api: true }\n`,
      "ba-map-tolerant.yaml": `name: ba-map-tolerant\ndescription: d\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-item, batch_api: true, tolerate: 100% }\n`,
      "ba-middle.yaml": "name: ba-middle\ndescription: d\ntimeout: 1m\nsteps:\n  - { id: r, type: flow-ref, flow: ba-leaf, timeout: 1m }\n",
      "ba-leaf.yaml": "name: ba-leaf\ndescription: d\ntimeout: 1m\nsteps:\n  - { id: a, type: agent, agent: ba-one, timeout: 1m }\n",
      "ba-deep.yaml": `name: ba-deep\ndescription: d\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-middle, batch_api: true }\n`,
      "ba-timed.yaml": `name: ba-timed\ndescription: d\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-item, batch_api: true, timeout: 1h }\n`,
      "ba-map-two.yaml": `name: ba-map-two\ndescription: d\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-item-two, batch_api: true }\n`,
    },
  })
