// A wave of staged runs, and the kills that hit it: every run is started, its question is asked, a person chooses, and the chosen calls go
// out, while the server dies at named points and at random ones, and comes back on the same data.

import { z } from "zod"
import { readTold, type Told } from "../books.ts"
import { Client, isEnd } from "../client.ts"
import { textIn } from "../scene.ts"
import type { Victim } from "../victim.ts"
import { KINDS, SHOWN, type Kind } from "./flows.ts"
import type { Moment, World } from "./world.ts"

export const POINTS = [
  "staging: a read is under way",
  "asked: all questions are open",
  "answering: a person's choice is on its way",
  "arrived: the request is there, and nothing is done",
  "done: the effect has happened, and is not answered",
  "answered: the answer has left",
  "recovering: just back, and at it again",
  "anywhere",
] as const
export type Point = (typeof POINTS)[number]

const MOMENTS: Partial<Record<Point, Moment>> = {
  "arrived: the request is there, and nothing is done": "arrived",
  "done: the effect has happened, and is not answered": "done",
  "answered: the answer has left": "answered",
}
const PATIENCE_MS = 180_000
const AT_ONCE = 24

const Rows = z.object({
  data: z.array(
    z.looseObject({ key: z.string(), state: z.string(), tool: z.string(), idempotency_key: z.string(), reason: z.string().optional() }),
  ),
})
const Questions = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      payload: z.looseObject({ effects: z.array(z.looseObject({ key: z.string(), tool: z.string() })).optional() }),
    }),
  ),
})
type Question = z.infer<typeof Questions>["data"][number]
const Family = z.looseObject({ children: z.array(z.string()) })

const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) })
/** No wave has more. */
const NEWEST = 200

export type Choice = "all" | "some" | "none" | "cancel"

export interface Row {
  readonly key: string
  readonly state: string
  readonly tool: string
  readonly sent: string
  readonly reason: string
  /** The run that kept it; a run carries out what its children kept, and their journals are over. */
  readonly run: string
}

export interface Played {
  readonly id: string
  readonly kind: Kind
  readonly choice: Choice
  /** Does anyone look at it between the choice and its end? */
  readonly isWatched: boolean
  status: string
  /** The tools in the person's question, in order; which of them were chosen. */
  shown: string[]
  chosen: boolean[]
  /** The ledgers at the end, a child's before its parent's. */
  rows: Row[]
  journals: (readonly unknown[])[]
  /** It and its children. */
  told: Told[]
}

export class Wave {
  readonly kills: Point[] = []
  readonly #victim: Victim
  readonly #client: Client
  readonly #world: World
  readonly #chance: (most: number) => number
  readonly #name: string
  /** No further moment is waited for. */
  #giveUp = (): void => undefined

  constructor(victim: Victim, world: World, chance: (most: number) => number, name: string) {
    this.#victim = victim
    this.#client = new Client(victim.url)
    this.#world = world
    this.#chance = chance
    this.#name = name
  }

  async play(count: number, points: readonly Point[]): Promise<Played[]> {
    const early = points.filter((it) => it.startsWith("staging"))
    const writes = points.filter((it) => !it.startsWith("staging") && !it.startsWith("asked"))
    if (early.length > 0) void this.#arm("read", 1 + this.#chance(Math.floor(count / 2)), "staging: a read is under way")
    const runs = await side(
      Array.from({ length: count }, (_, n) => n),
      (n) => this.#start(n),
    )
    const questions = new Map<string, Question>()
    await side(runs, async (it) => {
      const question = await this.#question(it)
      if (question) questions.set(it.id, question)
    })
    if (points.includes("asked: all questions are open")) await this.#kill("asked: all questions are open")
    const killing = this.#killAll(writes, count)
    await side(runs, (it) => this.#choose(it, questions.get(it.id)))
    await Promise.all([
      side(
        runs.filter((it) => it.isWatched),
        (it) => this.#end(it),
      ),
      this.#ends(runs.filter((it) => !it.isWatched)),
    ])
    this.#giveUp()
    await killing
    await side(runs, (it) => this.#read(it))
    return runs
  }

  async #start(n: number): Promise<Played> {
    const kind = KINDS[n % KINDS.length] ?? "keyed"
    const body = { task: `${this.#name}-${n}`, effects: kind === "dry" ? "dry" : "staged" }
    const id = await this.#insist(`the start of ${n}`, async () => {
      const answer = await this.#client.ask("POST", `/v1/flows/${kind}/runs`, body, { "idempotency-key": `start-${body.task}` })
      if (answer.status !== 202) throw new Error(`the start was answered ${answer.status}: ${await answer.text()}`)
      return textIn(await answer.json(), "id")
    })
    const choice = this.#chance(99)
    return {
      id,
      kind,
      choice: choice < 70 ? "all" : choice < 88 ? "some" : choice < 94 ? "none" : "cancel",
      isWatched: Math.floor(n / KINDS.length) % 2 === 0,
      status: "",
      shown: [],
      chosen: [],
      rows: [],
      journals: [],
      told: [],
    }
  }

  /** The run's one question; undefined: a dry run asks nothing. */
  async #question(run: Played): Promise<Question | undefined> {
    if (SHOWN[run.kind].length === 0) return undefined
    const question = await this.#insist(`the question of ${run.id}`, async () => {
      const { data } = Questions.parse(await this.#get(`/v1/runs/${run.id}/interactions?status=pending`))
      return data.find((it) => it.kind === "effects")
    })
    const shown = question.payload.effects ?? []
    run.shown = shown.map((it) => it.tool)
    run.chosen = shown.map(() => run.choice === "all" || (run.choice === "some" && this.#chance(1) === 1))
    return question
  }

  /** Says it until it is acknowledged: 409 is an earlier try that came through. */
  async #choose(run: Played, question: Question | undefined): Promise<void> {
    if (!question) return
    const keys = (question.payload.effects ?? []).map((it) => it.key).filter((_, n) => run.chosen[n])
    const [path, body] =
      run.choice === "cancel"
        ? [`/v1/runs/${run.id}/cancel`, {}]
        : [`/v1/runs/${run.id}/interactions/${question.id}`, { answer: { commit: run.choice === "all" ? "all" : keys } }]
    await this.#insist(`the choice for ${run.id}`, async () => {
      const { status } = await this.#client.ask("POST", path, body)
      return status < 300 || status === 409 ? status : undefined
    })
  }

  /** By the tenant's list alone, which touches no run: whoever reads a run makes it store what it has decided, and wakes it after a kill. */
  async #ends(runs: readonly Played[]): Promise<void> {
    await this.#insist(`the ends of ${runs.length} runs in the list`, async () => {
      const { data } = Listed.parse(await this.#get(`/v1/runs?limit=${NEWEST}`))
      for (const run of runs) {
        const status = data.find((row) => row.id === run.id)?.status ?? ""
        if (isEnd(status)) run.status = status
      }
      return runs.every((run) => run.status !== "") || undefined
    })
  }

  async #end(run: Played): Promise<void> {
    run.status = await this.#insist(`the end of ${run.id}`, async () => {
      const { status } = await this.#client.run(run.id)
      return isEnd(status) ? status : undefined
    })
  }

  /** What its family says at last: a child carries out its own after its end. */
  async #read(run: Played): Promise<void> {
    const { children } = Family.parse(await this.#get(`/v1/runs/${run.id}`))
    for (const id of [...children, run.id]) {
      const { data } = await this.#insist(`the end of the effects of ${id}`, async () => {
        const rows = Rows.parse(await this.#get(`/v1/runs/${id}/effects`))
        return rows.data.some((it) => it.state === "staged" || it.state === "sent") ? undefined : rows
      })
      const journal = await this.#insist(`the journal of ${id}`, () => this.#client.journal(id))
      const told = await this.#insist(`the usage of ${id}`, () => readTold(this.#client, id, journal))
      run.rows.push(
        ...data.map(({ key, state, tool, idempotency_key, reason = "" }) => ({ key, state, tool, sent: idempotency_key, reason, run: id })),
      )
      run.journals.push(journal)
      run.told.push(told)
    }
  }

  /** Arms one kill after the other: each at its moment, the next when the server is back. */
  async #killAll(points: readonly Point[], count: number): Promise<void> {
    for (const point of points) {
      const moment = MOMENTS[point]
      if (moment) await this.#arm(moment, 1 + this.#chance(Math.floor(count / 4)), point)
      else {
        await new Promise((wake) => setTimeout(wake, this.#chance(point === "anywhere" ? 600 : 60)))
        await this.#kill(point)
      }
    }
  }

  /** Kills at the nth such moment, in its own turn; resolves when the server is back, or when the wave is over before. */
  #arm(moment: Moment, nth: number, point: Point): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let left = nth
    this.#giveUp = () => {
      this.#world.ear = () => false
      resolve()
    }
    this.#world.ear = (seen) => {
      if (seen !== moment || --left > 0) return false
      this.#world.ear = () => false
      this.#giveUp = () => undefined
      void this.#kill(point).finally(resolve)
      return true
    }
    return promise
  }

  async #kill(point: Point): Promise<void> {
    this.kills.push(point)
    await this.#victim.killAndRestart("both")
  }

  async #get(path: string): Promise<unknown> {
    const answer = await this.#client.ask("GET", path)
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }

  async #insist<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const until = Date.now() + PATIENCE_MS
    let last: unknown = "it gave nothing"
    for (;;) {
      await this.#victim.up()
      try {
        const got = await attempt()
        if (got !== undefined) return got
      } catch (error) {
        last = error
      }
      if (Date.now() > until) throw new Error(`${what} did not come: ${String(last)}; ${await this.#victim.log()}`)
      await new Promise((wake) => setTimeout(wake, 100))
    }
  }
}

/** All of them, a bounded number at a time. */
async function side<T, R>(list: readonly T[], each: (it: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = list.entries()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [n, it] of rest) results[n] = await each(it)
    }),
  )
  return results
}
