// Calls the HTTP API for the benchmarks: one request starts a run and waits for its end, so the client costs little.

import { Agent, request } from "node:http"
import { z } from "zod"
import { LOCAL_KEY } from "../local/settings.ts"
import { catalog, PROVIDER } from "./flows.ts"

const Ended = z.object({ id: z.string(), status: z.literal("succeeded"), seq: z.number() })
const Keyed = z.object({ key: z.string() })
const Begun = z.object({ id: z.string() })
const Parent = z.looseObject({ status: z.string(), children: z.array(z.string()) })
const Page = z.object({ data: z.array(z.object({ seq: z.number(), at: z.number(), type: z.string(), step: z.string().optional() })) })
export type Row = z.infer<typeof Page>["data"][number]

export class Api {
  readonly #url: string
  readonly #key: string
  readonly #cursor = new Map<string, number>()
  readonly #ended = new Map<string, number>()

  constructor(url: string, key: string = LOCAL_KEY) {
    this.#url = url
    this.#key = key
  }

  async setUp(flows: readonly string[], provider: object = PROVIDER): Promise<void> {
    await this.#send("PUT", "/v1/settings/providers/bench", provider)
    await this.#send("PUT", "/v1/catalog", catalog(flows))
  }

  /** Resolves once the run has succeeded; any other end is an error. */
  async run(flow: string): Promise<z.infer<typeof Ended>> {
    return Ended.parse(await this.#send("POST", `/v1/flows/${flow}/runs`, { task: "go", autonomous: true }, { prefer: "wait=80" }))
  }

  /** Creates a tenant and returns a client with its key; needs the instance's admin key. */
  async tenant(id: string, quotas: object = {}): Promise<Api> {
    await this.#send("POST", "/v1/tenants", { id })
    await this.#send("PUT", `/v1/tenants/${id}/quotas`, quotas)
    const scopes = ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "admin"]
    return new Api(this.#url, Keyed.parse(await this.#send("POST", `/v1/tenants/${id}/keys`, { name: "bench", scopes })).key)
  }

  /** For load from another thread. */
  get address(): { readonly url: string; readonly key: string } {
    return { url: this.#url, key: this.#key }
  }

  async status(id: string): Promise<string> {
    return Parent.parse(await this.#send("GET", `/v1/runs/${id}`)).status
  }

  /** Does not wait for the end. */
  async fork(id: string, from: object): Promise<string> {
    return Begun.parse(await this.#send("POST", `/v1/runs/${id}/fork`, { from, autonomous: true })).id
  }

  /** Starts without waiting. */
  async begin(flow: string, inputs: object): Promise<string> {
    return Begun.parse(await this.#send("POST", `/v1/flows/${flow}/runs`, { task: "go", autonomous: true, inputs })).id
  }

  /** The number of ended children of a map, from the tail of its journal, and the size of the run's view. */
  async children(id: string): Promise<{ ended: number; bytes: number; status: string }> {
    const view = Parent.parse(await this.#send("GET", `/v1/runs/${id}`))
    const { data } = Page.parse(await this.#send("GET", `/v1/runs/${id}/events?after=${this.#cursor.get(id) ?? 0}&limit=1000`))
    this.#ended.set(id, (this.#ended.get(id) ?? 0) + data.filter((e) => e.type === "child.ended").length)
    this.#cursor.set(id, data.at(-1)?.seq ?? this.#cursor.get(id) ?? 0)
    return { ended: this.#ended.get(id) ?? 0, bytes: JSON.stringify({ ...view, children: [], inputs: {} }).length, status: view.status }
  }

  /** One run of the tenant's list: a request that only its object answers. */
  async list(): Promise<void> {
    await this.#send("GET", "/v1/runs?limit=1")
  }

  async view(id: string): Promise<void> {
    await this.#send("GET", `/v1/runs/${id}`)
  }

  async events(id: string): Promise<Row[]> {
    const rows: Row[] = []
    for (;;) {
      const { data } = Page.parse(await this.#send("GET", `/v1/runs/${id}/events?after=${rows.at(-1)?.seq ?? 0}&limit=1000`))
      if (data.length === 0) return rows
      rows.push(...data)
    }
  }

  async #send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const sent = body === undefined ? "" : JSON.stringify(body)
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const call = request(this.#url + path, {
        method,
        agent,
        headers: {
          authorization: `Bearer ${this.#key}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(sent),
          ...headers,
        },
      })
      call.once("error", reject)
      call.once("response", (answer) => {
        const parts: Buffer[] = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.once("error", reject)
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
      })
      call.end(sent)
    })
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 2_000)}`)
    return text === "" ? undefined : JSON.parse(text)
  }
}

// One connection per request. On kept connections about one request in a thousand was never read: workerd closed it seconds later, and no
// run had started. Seen with both fetch and node:http; the cause is not known.
const agent = new Agent({ keepAlive: false })

/** Runs `work` `count` times, `at` at a time. */
export async function atOnce<T>(count: number, at: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  let left = count
  const lane = async (): Promise<void> => {
    while (left-- > 0) done.push(await work())
  }
  await Promise.all(Array.from({ length: at }, lane))
  return done
}
