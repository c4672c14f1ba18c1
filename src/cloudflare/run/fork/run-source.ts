// Reads this run as the source of a fork [K7, K8]: its cuts, and its history as stored.

import { defined } from "../../../core/defined.ts"
import { canonical, type JsonObject } from "../../../core/json.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { CutFinder, type From } from "../../../core/run/fork/cut.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { Run } from "../../../core/run/state.ts"
import { changesOutside } from "../../../core/tool/outside.ts"
import type { ForkCheck, ForkSourcePort, RanWith } from "../../../ports/fork.ts"
import type { JournalRow, SealedState } from "../../../ports/journal.ts"
import type { Answers } from "../../../ports/objects.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { AwakeRun } from "../awake-run.ts"
import { eventsOf, PAGE_CHARS } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"
import { pinnedOf } from "./run-identity.ts"

/** Steps, and calls, that a check lists; the source has them all. */
const SHOWN_STEPS = 500

export class RunSource implements Answers<ForkSourcePort> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  async offer(from: From, check?: true): ReturnType<ForkSourcePort["offer"]> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { journal } = this.#resources
    const identity = this.#self.identity()
    if (run.seq === 0 || !identity)
      return { ok: false, code: "not_forkable", what: "it waits for room and has not begun: start another run instead" }
    if (identity.staging !== undefined)
      return { ok: false, code: "not_forkable", what: "it belongs to an architect's session, which only the architect continues" }
    const finder = new CutFinder()
    let budget: RanWith["budget"]
    for (const e of eventsOf(journal)) {
      finder.take(e)
      if (e.type === "run.forked" && e.budget) budget = e.budget
    }
    const found = finder.find(from, journal.cuts())
    if (!found.ok) return { ok: false, code: "not_forkable", why: found.why }
    const cut = found.seq
    const [last] = journal.pick([cut])
    if (!last) throw new Error(`the journal has no event ${cut}`)
    const eras = pinnedOf(journal).filter((era) => era.from <= cut)
    return {
      ok: true,
      cut,
      head: sha256(JSON.stringify(last)),
      at: last.at,
      flow: identity.flow,
      effects: run.effects ?? "live",
      autonomous: run.autonomous,
      ran: ranWith(run, journal.pick([1])[0], budget),
      eras,
      ...defined({ after: check && this.#after(run.plan, cut) }),
    }
  }

  async prefix(after: number, cut: number): Promise<readonly JournalRow[]> {
    const rows = this.#resources.journal.rows(after, cut, PAGE_CHARS)
    return rows.map((row) => (row.last <= cut ? row : partOf(row, cut)))
  }

  async states(rows: readonly string[]): Promise<readonly SealedState[]> {
    return rows.flatMap((row) => {
      const body = this.#resources.journal.state(row)
      return body === undefined ? [] : [{ row, body }]
    })
  }

  #after(plan: Plan, cut: number): Pick<ForkCheck, "asked" | "staged"> {
    const passes = new Map<string, number>()
    const open = new Set<string>()
    const asked: { step: string; pass: number }[] = []
    const staged: { step: string; pass: number; tool: string }[] = []
    for (const e of eventsOf(this.#resources.journal)) {
      if (e.seq === cut + 1) for (const step of open) asked.push({ step, pass: passes.get(step) ?? 1 })
      track(e, passes, open)
      if (e.seq <= cut) continue
      if (e.type === "step.opened") asked.push({ step: e.step, pass: e.pass })
      if (e.type !== "tool.called") continue
      if (changesOutside(e.tool, plan.tools.get(e.tool), e.args)) staged.push({ step: e.step, pass: passes.get(e.step) ?? 1, tool: e.tool })
    }
    return { asked: asked.slice(0, SHOWN_STEPS), staged: staged.slice(0, SHOWN_STEPS) }
  }
}

/** What differs from the first start, which is in the history of every fork. */
function ranWith(run: Run, first: RunEvent | undefined, budget: RanWith["budget"]): RanWith {
  if (first?.type !== "run.started") return {}
  const { task, inputs, payload, autonomous } = run
  return {
    ...(task === first.task ? {} : { task }),
    ...(canonical(inputs) === canonical(first.inputs) ? {} : { inputs }),
    ...(payload === undefined || canonical([payload]) === canonical([first.payload ?? null]) ? {} : { payload: payload as JsonObject }),
    ...(autonomous === first.autonomous ? {} : { autonomous }),
    ...defined({ budget }),
  }
}

function track(e: RunEvent, passes: Map<string, number>, open: Set<string>): void {
  if (e.type === "step.opened") {
    passes.set(e.step, e.pass)
    open.add(e.step)
  } else if (e.type === "step.finished" || e.type === "step.reopened") open.delete(e.step)
}

/** The events of the row up to `cut`. JSON that this build wrote is the same when it is read and written again, byte for byte. */
function partOf({ first, cuts, body }: JournalRow, cut: number): JournalRow {
  const events = (JSON.parse(body) as RunEvent[]).filter((e) => e.seq <= cut)
  const kept = cuts.split(",").filter((seq) => seq !== "" && Number(seq) <= cut)
  return { first, last: cut, cuts: kept.join(","), body: JSON.stringify(events) }
}
