// What there is to read of a run: its view, its events, what was said, its files. Whoever waits, waits for a change of the run's own
// status, so nothing is looked at in between.

import { reportOf, type ChildReport } from "../../core/run/steps/children.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { Frame } from "../../core/run/views/pi-flows.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { Message } from "../../core/run/session/step-messages.ts"
import { explainTools, type ToolRule } from "../../core/run/session/step-tools.ts"
import { interactionView, view, type InteractionView, type RunView } from "../../core/run/views/view.ts"
import { readMessages } from "../../engine/run/read-messages.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { EventFormat } from "../../ports/run.ts"
import type { FileEntry } from "../../ports/workspace.ts"
import { PAGE_CHARS } from "./journal-pages.ts"
import type { SqlJournal } from "./journal-sql.ts"
import type { RunProjections } from "./run-projections.ts"

/** So long is the end of a run kept back until its sticky sessions are given back. */
const SAVING_MS = 5_000

export interface ReadingDeps {
  /** As it is, or as it will begin; undefined: there is none. */
  readonly run: () => Promise<Run | undefined>
  readonly journal: SqlJournal
  readonly projections: RunProjections
  readonly blobs: () => Blobs | undefined
  /** Until the sessions of an ended run are given back [J25], or for so long. */
  readonly settled: (ms: number) => Promise<void>
}

interface FramePage {
  readonly data: readonly (Frame & { readonly seq: number })[]
  readonly next: number | null
}

export class RunReading {
  readonly #deps: ReadingDeps
  readonly #waiters = new Set<() => void>()

  constructor(deps: ReadingDeps) {
    this.#deps = deps
  }

  async view(): Promise<RunView | undefined> {
    const run = await this.#deps.run()
    return run && view(run)
  }

  async wait(ms: number): Promise<RunView | undefined> {
    const run = await this.#until(ms, (now) => now.status === "waiting" && now.reason === "interaction")
    return run && view(run)
  }

  async report(ms: number): Promise<ChildReport | undefined> {
    const run = await this.#until(ms)
    const report = run && reportOf(run)
    return report && JSON.parse(JSON.stringify(report))
  }

  /** The run when it is over, when it is `enough`, or after so long. */
  async #until(ms: number, enough: (run: Run) => boolean = () => false): Promise<Run | undefined> {
    const until = Date.now() + ms
    for (;;) {
      const run = await this.#deps.run()
      const left = until - Date.now()
      if (run && isOver(run)) await this.#deps.settled(Math.min(left, SAVING_MS))
      if (!run || isOver(run) || enough(run) || left <= 0) return run
      await this.#change(left)
    }
  }

  #change(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiters.add(done)
    })
  }

  /** Its own status did: whoever waits looks again. */
  changed(): void {
    for (const wake of this.#waiters) wake()
  }

  async events(after: number, limit: number): Promise<{ data: RunEvent[]; ended: boolean; more: boolean } | undefined> {
    const run = await this.#deps.run()
    const data = this.#deps.journal.read(after, limit, PAGE_CHARS)
    return run && { data, ended: isOver(run), more: (data.at(-1)?.seq ?? run.seq) < run.seq }
  }

  async frames(after: number, limit: number, format: EventFormat = "pi-flows"): Promise<FramePage | undefined> {
    const { journal, projections } = this.#deps
    const run = await this.#deps.run()
    if (!run) return undefined
    const projection = projections.at(run.plan, format, after)
    const data: (Frame & { seq: number })[] = []
    const events = journal.read(after, limit, PAGE_CHARS)
    for (const e of events) for (const frame of projection.frames(e)) data.push({ seq: e.seq, ...frame })
    const last = events.at(-1)?.seq
    if (last !== undefined) projections.keep(format, last, projection)
    return { data, next: last !== undefined && last < run.seq ? last : null }
  }

  async interactions(status?: string): Promise<InteractionView[] | undefined> {
    const run = await this.#deps.run()
    if (!run) return undefined
    return Object.values(run.interactions)
      .filter((i) => status === undefined || i.status === status)
      .map((i) => interactionView(run, i))
  }

  async interaction(id: string): Promise<InteractionView | undefined> {
    return (await this.interactions())?.find((i) => i.id === id)
  }

  async files(): Promise<FileEntry[] | undefined> {
    return (await this.#deps.run()) && this.#deps.journal.list("")
  }

  async file(path: string): Promise<{ entry: FileEntry; body: Uint8Array } | undefined> {
    const entry = (await this.#deps.run()) && this.#deps.journal.stat(path)
    const body = entry && (await this.#deps.blobs()?.get(entry.hash))
    return entry && body ? { entry, body } : undefined
  }

  async output(handle: string): Promise<Uint8Array | undefined> {
    const run = await this.#deps.run()
    return run?.handles.includes(handle) ? this.#deps.blobs()?.get(handle) : undefined
  }

  async stepTools(id: string): Promise<ToolRule[] | undefined> {
    const run = await this.#deps.run()
    return run && explainTools(run, id)
  }

  async messages(step: string, after: number): Promise<{ data: Message[]; next: number | null } | undefined> {
    const run = await this.#deps.run()
    if (!run?.plan.steps.has(step)) return undefined
    const opened = run.steps[step]?.openedSeq ?? 0
    return readMessages(this.#deps.journal, { step, opened, after, chars: PAGE_CHARS })
  }
}
