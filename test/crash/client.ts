// The API as seen by a client whose server may go down at any moment. A call either returns its answer or fails; nothing here retries.

import { z } from "zod"
import { parseFrame } from "../../local/frame.ts"
import { LOCAL_KEY } from "../../local/settings.ts"
import { sseData } from "../../src/client/transport/sse.ts"
import type { RunEvent } from "../../src/core/run/event.ts"

const Step = z.looseObject({ status: z.string(), pass: z.number() })
export const RunSeen = z.looseObject({
  id: z.string(),
  status: z.string(),
  pending: z.number(),
  seq: z.number(),
  output: z.unknown().optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
  steps: z.record(z.string(), Step),
})
export type RunSeen = z.infer<typeof RunSeen>

const Row = z.looseObject({ id: z.string(), status: z.string() })
const Rows = z.object({ data: z.array(Row), next_cursor: z.string().nullable() })
const Started = z.object({ id: z.string() })
const Interactions = z.object({ data: z.array(z.looseObject({ id: z.string() })) })
const Events = z.object({ data: z.array(z.unknown()), next_cursor: z.string().nullable() })
const Files = z.object({ data: z.array(z.looseObject({ path: z.string() })), next_cursor: z.string().nullable() })

const ENDS = ["succeeded", "failed", "canceled"]
export const isEnd = (status: string): boolean => ENDS.includes(status)

export class Client {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key = LOCAL_KEY) {
    this.#url = url
    this.#key = key
  }

  async put(path: string, body: unknown): Promise<void> {
    const answer = await this.ask("PUT", path, body)
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`)
  }

  /** The run's id, once the start is answered. The same key twice is the same run [H4]. */
  async start(flow: string, task: string, prefer?: string): Promise<string> {
    const headers = { "idempotency-key": `start-${task}`, ...(prefer === undefined ? {} : { prefer }) }
    const answer = await this.ask("POST", `/v1/flows/${flow}/runs`, { task }, headers)
    if (answer.status !== 202) throw new Error(`the start was answered ${answer.status}: ${await answer.text()}`)
    return Started.parse(await answer.json()).id
  }

  async run(id: string): Promise<RunSeen> {
    return RunSeen.parse(await this.#get(`/v1/runs/${id}`))
  }

  /** Every run in the tenant's list: listing wakes no run. */
  async list(): Promise<z.infer<typeof Row>[]> {
    const rows: z.infer<typeof Row>[] = []
    let cursor: string | null = null
    do {
      const page: z.infer<typeof Rows> = Rows.parse(
        await this.#get(`/v1/runs?children=1&limit=200${cursor === null ? "" : `&cursor=${cursor}`}`),
      )
      rows.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    return rows
  }

  async pending(id: string): Promise<readonly { readonly id: string }[]> {
    return Interactions.parse(await this.#get(`/v1/runs/${id}/interactions?status=pending`)).data
  }

  /** The HTTP status of the reply to the person's answer. */
  async answer(id: string, interaction: string, body: unknown): Promise<number> {
    const answer = await this.ask("POST", `/v1/runs/${id}/interactions/${interaction}`, body)
    await answer.text()
    return answer.status
  }

  /** The journal as received: not parsed, so that its hashes can be recomputed [J7]. */
  async journal(id: string): Promise<unknown[]> {
    const all: unknown[] = []
    for (;;) {
      const page = Events.parse(await this.#get(`/v1/runs/${id}/events?after=${all.length}`))
      all.push(...page.data)
      if (page.next_cursor === null) return all
    }
  }

  async files(id: string): Promise<Readonly<Record<string, string>>> {
    const files: Record<string, string> = {}
    for (const { path } of Files.parse(await this.#get(`/v1/runs/${id}/files`)).data) {
      if (path in files) throw new Error(`${path} is listed twice`)
      files[path] = await (await this.ask("GET", `/v1/runs/${id}/files/${path}`)).text()
    }
    return files
  }

  /** The live stream; ends with the run, or throws when the server goes down. */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<{ readonly event: RunEvent; readonly text: string }> {
    const answer = await fetch(`${this.#url}/v1/runs/${id}/events?after=${after}`, {
      headers: { authorization: `Bearer ${this.#key}`, accept: "text/event-stream" },
      signal,
    })
    if (answer.status === 204 || answer.body === null) return
    for await (const text of sseData(answer.body)) {
      const frame = parseFrame(text)
      if (frame && "seq" in frame) yield { event: frame, text }
    }
  }

  async #get(path: string): Promise<unknown> {
    const answer = await this.ask("GET", path)
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }

  /** The raw response, whatever its status. */
  ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
  }
}
