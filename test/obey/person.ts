// The person who approves: the only one by whom anything may leave. Looks through the tenant's inbox and approves each call of a run that
// rests, so that whatever was not held back has left before.

import { z } from "zod"
import type { House } from "./house.ts"
import { MARK, type World } from "./world.ts"

const Row = z.looseObject({ id: z.string(), run: z.string(), kind: z.string(), payload: z.unknown() })
const Inbox = z.object({ data: z.array(Row), next_cursor: z.string().nullable().optional() })
const Run = z.looseObject({ status: z.string() })

const PAUSE_MS = 40

export class Person {
  readonly #house: House
  readonly #world: World
  #done = false
  #working: Promise<void> | undefined
  readonly trouble: string[] = []

  constructor(services: House, world: World) {
    this.#house = services
    this.#world = world
  }

  begin(): void {
    this.#working = this.#work()
  }

  async end(): Promise<void> {
    this.#done = true
    await this.#working
  }

  async #work(): Promise<void> {
    while (!this.#done) {
      await this.#look().catch((error: unknown) => this.trouble.push(String(error)))
      await new Promise((wake) => setTimeout(wake, PAUSE_MS))
    }
  }

  async #look(): Promise<void> {
    const { data } = Inbox.parse(await this.#house.send("GET", "/v1/interactions?limit=200"))
    const runs = Map.groupBy(data, (row) => row.run)
    await Promise.all([...runs].map(([run, rows]) => this.#answer(run, rows)))
  }

  async #answer(run: string, rows: readonly z.infer<typeof Row>[]): Promise<void> {
    const { status } = Run.parse(await this.#house.send("GET", `/v1/runs/${run}`))
    if (status !== "waiting") return
    // What an agent asks, an outsider answers.
    for (const { id, kind, payload } of rows.filter((row) => row.kind !== "ask_user")) {
      const said = JSON.stringify(payload)
      for (const mark of new Set(said.match(MARK))) this.#world.approvals.set(mark, (this.#world.approvals.get(mark) ?? 0) + 1)
      const answer = kind === "fork" ? { answer: "on" } : { decision: "approve" }
      await this.#house.send("POST", `/v1/runs/${run}/interactions/${id}`, answer)
    }
  }
}
