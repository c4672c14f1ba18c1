// One round: it starts some cases, kills the server at the moments of the schedule, restarts it, and follows every case
// to its end. Everything observed is kept for the checks.

import { Client, isEnd, type RunSeen } from "./client.ts"
import { ANSWER, FLOW } from "./flow.ts"
import type { ModelRequest, ModelServer } from "./model-server.ts"
import type { Kill, Round, What } from "./schedule.ts"
import type { Victim } from "./victim.ts"

const ROUND_LIMIT_MS = 150_000
/** A moment not reached by then has passed: the case is over or stuck. */
const MOMENT_LIMIT_MS = 60_000

export interface Seen {
  readonly name: string
  readonly isWatched: boolean
  id: string
  /** Events that the client read during the run: seq → the bytes of the frame. */
  readonly received: Map<number, string>
  /** The interaction whose answer was acknowledged, and its status: 200, or 409 when an earlier try succeeded. */
  acknowledged?: { readonly interaction: string; readonly status: number }
  readonly view: RunSeen
  readonly journal: readonly unknown[]
  readonly files: Readonly<Record<string, string>>
}

export interface KillSeen {
  readonly kill: Kill
  readonly isWatched: boolean
  readonly isReached: boolean
  /** Model calls that were asked and not answered at the kill. */
  readonly inFlight: number
  /** ms since 1970: the kill, and the first answer of /healthz after it. */
  readonly at: number
  readonly upAt: number
  /** ms from then to the next model call of the round; undefined: there was none before the next kill. */
  readonly goneOnAfter: number | undefined
  /** The workerd that lost its launcher, and whether the next start ended it. */
  readonly orphan?: { readonly pid: number; readonly isEnded: boolean }
}

export interface RoundSeen {
  readonly cases: readonly Seen[]
  readonly kills: readonly KillSeen[]
}

type Signal = { readonly what: What; readonly name: string }
type Case = { -readonly [K in keyof Omit<Seen, "view" | "journal" | "files">]: Seen[K] }

export async function playRound(victim: Victim, models: ModelServer, names: readonly string[], round: Round): Promise<RoundSeen> {
  const player = new Player(victim, models, names, round)
  return await player.play()
}

class Player {
  readonly #victim: Victim
  readonly #models: ModelServer
  readonly #round: Round
  readonly #client: Client
  readonly #cases: Case[]
  readonly #lead: Case
  readonly #ears = new Set<(signal: Signal) => void>()
  readonly #until = Date.now() + ROUND_LIMIT_MS
  /** The lead's stream; an unwatched round gives it up at the first kill. */
  readonly #reading = new AbortController()
  #isOver = false
  readonly #over = Promise.withResolvers<void>()

  constructor(victim: Victim, models: ModelServer, names: readonly string[], round: Round) {
    this.#victim = victim
    this.#models = models
    this.#round = round
    this.#client = new Client(victim.url)
    this.#cases = names.map((name) => ({ name, isWatched: round.isWatched, id: "", received: new Map() }))
    const [lead] = this.#cases
    if (!lead) throw new Error("a round needs a case")
    this.#lead = lead
  }

  async play(): Promise<RoundSeen> {
    const deaf = this.#models.listen((request) => this.#signal({ what: `model:${request.progress}`, name: request.name }))
    try {
      // Armed before anything starts: the first moments come early.
      const kills = this.#killAll()
      const [seen] = await Promise.all([kills, this.#playCases()])
      return { kills: seen, cases: await Promise.all(this.#cases.map((it) => this.#look(it))) }
    } finally {
      deaf()
      this.#reading.abort()
    }
  }

  async #playCases(): Promise<void> {
    const [, ...others] = this.#cases
    // The others are slightly ahead, each at a different point of its run when the lead reaches its moment.
    const ends = others.map(async (it, i) => {
      await sleep(i * 150)
      await this.#playCase(it)
    })
    await sleep(others.length * 150)
    const reading = this.#read(this.#lead)
    try {
      await Promise.all([...ends, this.#playCase(this.#lead)])
    } finally {
      this.#isOver = true
      this.#over.resolve()
    }
    await reading
  }

  async #playCase(it: Case): Promise<void> {
    // The first kill comes while the client still waits for its answer: the run exists but the client does not know.
    let prefer = this.#round.isAnsweredLate === true ? "wait=20" : undefined
    await this.#insist(async () => {
      const answer = this.#client.start(FLOW, it.name, prefer)
      prefer = undefined
      this.#signal({ what: "client:starting", name: it.name })
      it.id = await answer
      return true
    })
    this.#signal({ what: "client:started", name: it.name })
    let asked: string | undefined
    await this.#insist(async () => {
      // An answer that was sent but not acknowledged is sent again, to the same question: 200, or 409 when it was received.
      asked ??= await this.#question(it.id)
      if (asked === undefined) return false
      const answer = this.#client.answer(it.id, asked, ANSWER)
      this.#signal({ what: "client:answering", name: it.name })
      it.acknowledged = { interaction: asked, status: await answer }
      return true
    })
    this.#signal({ what: "client:acknowledged", name: it.name })
    await this.#insist(async () => isEnd(await this.#status(it.id)))
  }

  async #status(id: string): Promise<string> {
    if (this.#round.isWatched) return (await this.#client.run(id)).status
    return (await this.#client.list()).find((row) => row.id === id)?.status ?? "unknown"
  }

  async #question(id: string): Promise<string | undefined> {
    const status = await this.#status(id)
    if (isEnd(status)) throw new Stop(`run ${id} is ${status} and no one was asked`)
    return status === "waiting" ? (await this.#client.pending(id))[0]?.id : undefined
  }

  /** Repeats until it is true; waits for a server that is down or goes down meanwhile. */
  async #insist(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      await this.#victim.up()
      try {
        if (await attempt()) return
      } catch (error) {
        if (error instanceof Stop) throw error
        if (Date.now() > this.#until) throw error
      }
      if (Date.now() > this.#until) throw await this.#tooLate()
      await sleep(this.#round.isWatched ? 60 : 200)
    }
  }

  async #tooLate(): Promise<Error> {
    const runs = await Promise.all(
      this.#cases.map(async (it) => {
        const run = it.id === "" ? undefined : await this.#client.run(it.id).catch(() => undefined)
        return `${it.name} (${it.id}) is ${run?.status ?? "unknown"} at ${run?.seq ?? 0}`
      }),
    )
    return new Error(`the round did not end within ${ROUND_LIMIT_MS / 1000} s: ${runs.join(", ")}; ${await this.#victim.log()}`)
  }

  async #read(it: Case): Promise<void> {
    const { signal } = this.#reading
    while (!this.#isOver && !signal.aborted) {
      await this.#victim.up()
      if (it.id === "") {
        await sleep(5)
        continue
      }
      try {
        for await (const { event, text } of this.#client.follow(it.id, it.received.size, signal)) {
          it.received.set(event.seq, text)
          this.#signal({ what: `event:${event.type}`, name: it.name })
          if (event.type === "run.ended") return
        }
      } catch {
        await sleep(20) // killed, or given up
      }
    }
  }

  async #killAll(): Promise<KillSeen[]> {
    const seen: Omit<KillSeen, "goneOnAfter">[] = []
    const lost = new Set<ModelRequest>()
    let reached = this.#moment(this.#round.kills[0])
    for (const [i, kill] of this.#round.kills.entries()) {
      const isReached = await reached
      const before = this.#victim.workerd
      const at = Date.now()
      const back = this.#victim.killAndRestart(kill.target)
      const asked = this.#models.requests.filter((r) => r.progress !== "answered" && !r.refused && this.#isOurs(r.name) && !lost.has(r))
      for (const r of asked) lost.add(r)
      if (!this.#round.isWatched) this.#reading.abort()
      reached = this.#moment(this.#round.kills[i + 1])
      await back
      this.#signal({ what: "client:up", name: this.#lead.name })
      seen.push({
        kill,
        isWatched: this.#round.isWatched,
        isReached,
        inFlight: asked.length,
        at,
        upAt: this.#victim.upSince,
        ...(kill.target === "launcher" && before !== undefined
          ? { orphan: { pid: before, isEnded: this.#victim.ended.includes(before) } }
          : {}),
      })
    }
    await this.#over.promise
    return seen.map((it, i) => ({ ...it, goneOnAfter: this.#firstSign(it.upAt, seen[i + 1]?.at) }))
  }

  /** When the round's first model call after a restart came; for unwatched runs it is the only sign of life. */
  #firstSign(from: number, to = Number.MAX_SAFE_INTEGER): number | undefined {
    const sign = this.#models.requests.find((r) => this.#isOurs(r.name) && r.at >= from && r.at < to)
    return sign && sign.at - from
  }

  #isOurs(name: string): boolean {
    return this.#cases.some((it) => it.name === name)
  }

  /** false: the moment did not come. */
  #moment(kill: Kill | undefined): Promise<boolean> {
    if (!kill) return Promise.resolve(false)
    return new Promise((resolve) => {
      let left = kill.nth
      const done = (isReached: boolean): void => {
        clearTimeout(limit)
        this.#ears.delete(ear)
        resolve(isReached)
      }
      const limit = setTimeout(() => done(false), MOMENT_LIMIT_MS)
      const ear = ({ what, name }: Signal): void => {
        if (name !== this.#lead.name || what !== kill.what || --left !== 0) return
        if (kill.after === 0) done(true)
        else setTimeout(() => done(true), kill.after)
      }
      this.#ears.add(ear)
    })
  }

  #signal(signal: Signal): void {
    for (const ear of this.#ears) ear(signal)
  }

  async #look(it: Case): Promise<Seen> {
    const view = await this.#client.run(it.id)
    return { ...it, view, journal: await this.#client.journal(it.id), files: await this.#client.files(it.id) }
  }
}

class Stop extends Error {}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
