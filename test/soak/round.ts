// One round of the soak: tenants come, with keys, secrets, a catalog and runs of every kind, and go; and so do the runs of a tenant that stays.

import { LOCAL_ADMIN_KEY, LOCAL_KEY } from "../../local/settings.ts"
import { Client, isEnd } from "../crash/client.ts"
import { textIn } from "../crash/scene.ts"
import { CATALOG, FLOWS } from "./catalog.ts"

/** Tenants of a round that are founded and deleted. */
export const LIVES = 3
const RUNS_OF_EACH = 4
const PATIENCE_MS = 120_000
const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

export class Round {
  readonly #url: string
  readonly #admin: Client
  readonly #n: number

  constructor(url: string, n: number) {
    this.#url = url
    this.#admin = new Client(url, LOCAL_ADMIN_KEY)
    this.#n = n
  }

  /** How many runs it made; all of them are deleted. */
  async play(): Promise<number> {
    const lives = Array.from({ length: LIVES }, (_, k) => this.#life(`soak-${this.#n}-${k}`))
    const counts = await Promise.all([...lives, this.#stays()])
    return counts.reduce((a, b) => a + b, 0)
  }

  /** A tenant from its foundation to its deletion. Half of its runs are deleted before it, the others with it. */
  async #life(id: string): Promise<number> {
    await this.#must(this.#admin, "POST", "/v1/tenants", { id })
    const scopes = ["runs:write", "runs:read", "catalog:write", "interactions:answer", "admin"]
    const { key } = (await this.#must(this.#admin, "POST", `/v1/tenants/${id}/keys`, { name: "soak", scopes })) as { key: string }
    const client = new Client(this.#url, key)
    await this.#must(client, "PUT", "/v1/secrets/soak", { value: `a secret of ${id}` })
    const extra = textIn(await this.#must(client, "POST", "/v1/keys", { name: "extra", scopes: ["runs:read"] }), "id")
    await this.#must(client, "PUT", "/v1/catalog", CATALOG)
    const runs = await this.#runs(client)
    await this.#must(client, "DELETE", `/v1/keys/${extra}`)
    for (const run of runs.slice(0, runs.length / 2)) await this.#must(client, "DELETE", `/v1/runs/${run}`)
    await this.#must(this.#admin, "DELETE", `/v1/tenants/${id}`)
    return runs.length
  }

  /** The local tenant stays, and all of its runs go. */
  async #stays(): Promise<number> {
    const client = new Client(this.#url, LOCAL_KEY)
    if (this.#n === 0) await this.#must(client, "PUT", "/v1/catalog", CATALOG)
    const runs = await this.#runs(client)
    for (const run of runs) await this.#must(client, "DELETE", `/v1/runs/${run}`)
    for (const { id } of await client.list()) await this.#must(client, "DELETE", `/v1/runs/${id}`)
    await this.#must(client, "DELETE", `/v1/sessions/worker/soak`)
    return runs.length
  }

  /** All have ended; of those that wait for a person, one of two is answered and one is canceled. */
  async #runs(client: Client): Promise<string[]> {
    const ids: string[] = []
    for (let n = 0; n < RUNS_OF_EACH; n++)
      for (const flow of FLOWS) {
        const body = { task: `round ${this.#n}, ${n}`, ...(flow === "staged" ? { effects: "staged" } : {}) }
        ids.push(textIn(await this.#must(client, "POST", `/v1/flows/${flow}/runs`, body), "id"))
      }
    const until = Date.now() + PATIENCE_MS
    for (let isLate = false; ; isLate = Date.now() > until) {
      const rows = await client.list()
      const open = ids.filter((id) => !isEnd(rows.find((row) => row.id === id)?.status ?? ""))
      if (open.length === 0) return ids
      if (isLate) throw new Error(`${open.length} runs do not end: ${open.slice(0, 5).join(", ")}`)
      for (const id of open) {
        if (rows.find((row) => row.id === id)?.status !== "waiting") continue
        const [question] = await client.pending(id)
        if (!question) continue
        const answer = ids.indexOf(id) % 2 === 0 ? { commit: [] } : undefined
        if (answer) await client.answer(id, question.id, { answer })
        else await client.ask("POST", `/v1/runs/${id}/cancel`, {})
      }
      await sleep(250)
    }
  }

  async #must(client: Client, method: string, path: string, body?: unknown): Promise<unknown> {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(300)) {
      const answer = await client.ask(method, path, body).catch((e: unknown) => String(e))
      const text = typeof answer === "string" ? answer : await answer.text()
      if (typeof answer !== "string" && answer.ok) return text === "" ? undefined : JSON.parse(text)
      // A server at its limit, or a deletion that goes on, says when to ask again.
      const mayAgain = typeof answer === "string" || answer.status === 429 || answer.status === 503
      if (!mayAgain || Date.now() > until)
        throw new Error(`${method} ${path}: ${typeof answer === "string" ? "" : answer.status} ${text.slice(0, 300)}`)
    }
  }
}
