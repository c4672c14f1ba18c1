// Proves a run by its journal: replays it with this build's kernel [K18], and writes the run's receipt [K40].

import type { RunEvent } from "../../../core/run/event.ts"
import { isOver } from "../../../core/run/state.ts"
import { isHash } from "../../../engine/sha256.ts"
import { decode } from "../../../engine/catalog/catalog-bodies.ts"
import { atOnce } from "../../../engine/at-once.ts"
import { EventFacts, type Definition, type Header } from "../../../engine/receipt/receipt.ts"
import { replaying } from "../../../engine/run/replay/replay.ts"
import { StrandedConductor } from "../../../engine/run/stranded-conductor.ts"
import { Breath } from "../../../ports/breath.ts"
import type { Answers, RunRooms } from "../../../ports/objects.ts"
import type { DefinitionsGone, ReceiptStart, Replayed } from "../../../ports/run.ts"
import { sha256 } from "../../platform/sha256.ts"
import { VERSION } from "../../../engine/version.ts"
import type { AwakeRun } from "../awake-run.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import { RunCompared } from "./run-compared.ts"
import type { RunStart } from "../run-start.ts"

/** Breath's measure of a page of events that is read (ports/breath.ts). */
const OPERATION_WORK = 500_000

export class RunProof extends RunCompared implements Answers<RunRooms["proof"]> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    super(resources, self, starts)
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  /** Up to the event that is the last one now: a run under way goes on meanwhile. */
  async replay(): Promise<Replayed | DefinitionsGone | undefined> {
    const { journal } = this.#resources
    const conductor = await this.#self.awake()
    const last = journal.last()
    // A run that waits for room has no journal yet.
    if (!conductor || last === 0) return (await this.#starts.run()) && { events: 0, identical: true }
    const eras = await this.#self.eras()
    const replayed = await new Breath().through(replaying(eras, (after, limit) => journal.read(after, limit, PAGE_CHARS), last, sha256))
    return !replayed.identical && conductor instanceof StrandedConductor
      ? { ok: false, code: "definitions_lost", why: conductor.why }
      : replayed
  }

  /** The same whenever it is asked: an ended run and its definitions do not change. */
  async receipt(): Promise<ReceiptStart | { ok: false; code: "run_not_over" } | DefinitionsGone | undefined> {
    const conductor = await this.#self.awake()
    const tenant = this.#self.tenant
    if (!conductor || tenant === undefined) return (await this.#starts.run()) && { ok: false, code: "run_not_over" }
    const { run } = conductor
    if (!isOver(run)) return { ok: false, code: "run_not_over" }
    const { journal } = this.#resources
    const { id, flow, status, seq: events, head, at, plan } = run
    const told = await this.#told(events)
    const definitions = await this.#definitions(told, journal.last() === 2)
    if ("code" in definitions) return definitions
    const eras = await this.#self.eras()
    const earlier = eras.slice(0, -1).map((era, i) => ({ upTo: (eras[i + 1]?.from ?? 1) - 1, tools: [...era.plan.tools.values()] }))
    const header: Header = {
      receipt: 1,
      run: id,
      flow,
      status,
      build: VERSION,
      tenant: sha256(tenant),
      events,
      definitions: definitions.texts,
      children: told.children,
      tools: [...plan.tools.values()],
      ...(earlier.length > 0 ? { before: earlier } : {}),
    }
    const text = JSON.stringify(header)
    return { ok: true, text, header: sha256(text), events, head, at }
  }

  async journal(after: number, limit: number): Promise<readonly RunEvent[] | undefined> {
    return (await this.#starts.run()) && this.#resources.journal.read(after, limit, PAGE_CHARS)
  }

  async #told(last: number): Promise<EventFacts> {
    const { journal } = this.#resources
    const [told, breath] = [new EventFacts(), new Breath()]
    for (let at = 0; at < last;) {
      const page = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      for (const e of page) told.take(e)
      at = page.at(-1)?.seq ?? last
      await breath.take(OPERATION_WORK)
    }
    return told
  }

  /** `neverBegan`: its definitions may be what was missing. */
  async #definitions(told: EventFacts, neverBegan: boolean): Promise<{ readonly texts: Definition[] } | DefinitionsGone> {
    const { blobs } = this.#starts
    const texts = await atOnce(told.paths, async ({ path, hash }) => {
      const body = isHash(hash) ? await blobs?.get(hash) : undefined
      const text = body && decode(body)
      return { path, hash, text }
    })
    const lost = texts.find(({ text }) => text === undefined)
    if (lost && !neverBegan)
      return { ok: false, code: "definitions_lost", why: `${lost.path} (hash ${lost.hash}) is missing or damaged in the blob store` }
    return { texts: texts.flatMap(({ text, ...d }) => (text === undefined ? [] : [{ ...d, text }])) }
  }
}
