// Serves a run's view, events, conversations and files to callers. A waiting caller is woken when the run's status changes, so nothing is polled.

import { reportOf, type ChildReport } from "../../core/run/steps/children.ts"
import { waitsForPeople } from "../../core/run/steps/child-questions.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import { explainTools, type ToolRule } from "../../core/run/session/step-tools.ts"
import { interactionView, runView, type InteractionView, type RunView } from "../../core/run/views/view.ts"
import { readMessages, type MessagePage } from "../../engine/run/read-messages.ts"
import type { Answers, RunRooms } from "../../ports/objects.ts"
import type { EventFormat } from "../../ports/run.ts"
import { PAGE_CHARS, pageInTurns } from "./journal/journal-pages.ts"
import type { RunResources } from "./run-resources.ts"
import type { RunStart } from "./run-start.ts"

/** How long a waiting caller's answer is delayed at most, until the run's sticky sessions are released [J25]. */
const SAVING_MS = 5_000

interface FramePage {
  readonly data: readonly (PiFlowsFrame & { readonly seq: number })[]
  readonly next: number | null
}

export class RunReading implements Answers<RunRooms["reading"]> {
  readonly #resources: RunResources
  readonly #starts: RunStart
  readonly #duties: { tell(run: Run): void; settled(): Promise<void> }

  /** `tell` sends what the run still owes to other objects; `settled` resolves when that has arrived or failed. */
  constructor(resources: RunResources, starts: RunStart, duties: { tell(run: Run): void; settled(): Promise<void> }) {
    this.#resources = resources
    this.#starts = starts
    this.#duties = duties
  }

  /** [P2] Resolves when the tenant knows of the run what the run knows. */
  async told(): Promise<void> {
    const run = await this.#starts.run()
    if (!run) return
    this.#duties.tell(run)
    await this.#duties.settled()
  }

  async view(): Promise<RunView | undefined> {
    const run = await this.#starts.run()
    if (run && isOver(run)) await this.#saved(run, SAVING_MS)
    return run && this.#starts.view(run)
  }

  /** [J25] Who sees the end may go on with its session at once. An object that was lost just after the end saves now, not at its alarm. */
  async #saved(run: Run, ms: number): Promise<void> {
    const { sessions } = this.#resources
    if (sessions.unsaved(run) > 0) this.#duties.tell(run)
    await sessions.settled(Math.min(ms, SAVING_MS))
  }

  async wait(ms: number): Promise<RunView | undefined> {
    const run = await this.#until(ms, () => this.#starts.run(), waitsForPeople)
    return run && runView(run)
  }

  async report(ms: number): Promise<ChildReport | "unended" | undefined> {
    const run = await this.#until(ms, () => this.#starts.lastRun())
    if (!run) return undefined
    const report = reportOf(run)
    return report ? JSON.parse(JSON.stringify(report)) : "unended"
  }

  /** Returns the run when it has ended, when `enough` accepts it, or after `ms`. */
  async #until(ms: number, read: () => Promise<Run | undefined>, enough: (run: Run) => boolean = () => false): Promise<Run | undefined> {
    const until = Date.now() + ms
    for (;;) {
      const run = await read()
      const left = until - Date.now()
      if (run && isOver(run)) await this.#saved(run, left)
      if (!run || isOver(run) || enough(run) || left <= 0) return run
      await this.change(left)
    }
  }

  /** Resolves when the run's status changes, or after `ms`. */
  change(ms: number): Promise<void> {
    return this.#resources.waiters.wait(ms)
  }

  /** The run's status has changed: waiting callers check again. */
  changed(): void {
    this.#resources.waiters.wake()
  }

  async events(after: number, limit: number): Promise<{ data: RunEvent[]; ended: boolean; more: boolean } | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const end = run.endSeq ?? run.seq
    const data = (await pageInTurns(this.#resources.journal, after, limit)).filter(({ seq }) => seq <= end)
    return { data, ended: isOver(run), more: (data.at(-1)?.seq ?? end) < end }
  }

  async frames(after: number, limit: number, format: EventFormat = "pi-flows"): Promise<FramePage | undefined> {
    const { journal, projections } = this.#resources
    const run = await this.#starts.run()
    if (!run) return undefined
    const projection = projections.at(run.plan, format, after)
    const data: (PiFlowsFrame & { seq: number })[] = []
    const end = run.endSeq ?? run.seq
    const events = (await pageInTurns(journal, after, limit)).filter(({ seq }) => seq <= end)
    for (const e of events) for (const frame of projection.frames(e)) data.push({ seq: e.seq, ...frame })
    const last = events.at(-1)?.seq
    if (last !== undefined) projections.keep(format, last, projection)
    return { data, next: last !== undefined && last < end ? last : null }
  }

  async interactions(status?: string): Promise<InteractionView[] | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    return Object.values(run.interactions)
      .filter((i) => status === undefined || i.status === status)
      .map((i) => interactionView(run, i))
  }

  async interaction(id: string): Promise<InteractionView | undefined> {
    return (await this.interactions())?.find((i) => i.id === id)
  }

  async output(handle: string): Promise<Uint8Array | undefined> {
    const run = await this.#starts.run()
    return run?.handles.includes(handle) ? this.#starts.blobs?.get(handle) : undefined
  }

  async stepTools(id: string): Promise<ToolRule[] | undefined> {
    const run = await this.#starts.run()
    return run && explainTools(run, id)
  }

  async messages(step: string, after: number, page: { skip?: number; limit?: number } = {}): Promise<MessagePage | undefined> {
    const run = await this.#starts.run()
    if (!run?.plan.steps.has(step)) return undefined
    const opened = run.steps[step]?.openedSeq ?? 0
    return readMessages(this.#resources.journal, { step, opened, after, chars: PAGE_CHARS, ...page })
  }
}
