// Random flows in which scorers decide when steps are done [V23], and what must hold of their journals.

import fc from "fast-check"
import { untilOf, type Flow } from "../../../src/core/flow/flow.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { flows } from "./generate.ts"

const spec = fc.record({
  is: fc.constantFrom(true, true, false),
  scorer: fc.constantFrom("grade", "judge"),
  at_least: fc.constantFrom(0.25, 0.5, 1),
  rounds: fc.integer({ min: 2, max: 3 }),
  from: fc.nat(9),
})

/** Every other step of these has an `until`, and every third of those begins its rounds at an earlier step. */
export const judgedFlows: fc.Arbitrary<Flow> = fc.tuple(flows(6), fc.array(spec, { minLength: 6, maxLength: 6 })).map(([flow, specs]) => ({
  ...flow,
  steps: flow.steps.map((step, i) => {
    const wished = specs[i]
    if (!wished?.is || step.type !== "agent") return step
    const { is: _is, from, ...until } = wished
    return { ...step, until: { ...until, ...(i > 0 && from % 3 === 0 ? { from: flow.steps[from % i]?.id ?? "" } : {}) } }
  }),
}))

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>

interface Entry {
  passes: number
  offer: Of<"step.offered"> | undefined
  best: { readonly score: number; readonly outputs: unknown; readonly summary: string } | undefined
}

/** [V23, V25] What is wrong with a journal; empty when it is right. */
export function roundFaults(plan: Plan, log: readonly RunEvent[]): string[] {
  const wrong: string[] = []
  const entries = new Map<string, Entry>()
  const done = new Set<string>()
  const entryOf = (step: string): Entry => {
    const known = entries.get(step) ?? { passes: 0, offer: undefined, best: undefined }
    entries.set(step, known)
    return known
  }
  for (const [i, e] of log.entries()) {
    const until = "step" in e && e.step !== undefined ? untilOf(plan.steps.get(e.step)) : undefined
    const say = (text: string): void => void wrong.push(`${e.seq} ${e.type}: ${text}`)
    if (e.type === "step.reopened") {
      done.delete(e.step)
      if (e.by !== undefined && e.by !== e.step) entries.delete(e.step)
      else if (until) entryOf(e.step).offer = undefined
    }
    if (e.type === "step.skipped" || e.type === "step.finished") done.add(e.step)
    if (e.type === "step.opened") {
      const here = plan.graph.segmentOf[plan.graph.order.get(e.step) ?? 0]
      for (const by of plan.steps.get(e.step)?.blockedBy ?? [])
        if (plan.graph.segmentOf[plan.graph.order.get(by) ?? 0] === here && !done.has(by)) say(`begins before "${by}" is done`)
      if (until) entryOf(e.step).passes += 1
      if (until && entryOf(e.step).passes > until.rounds) say(`pass ${entryOf(e.step).passes} of ${until.rounds}`)
    }
    if (!until) continue
    if (e.type === "step.offered") entryOf(e.step).offer = e
    if (e.type === "step.scored") {
      const entry = entryOf(e.step)
      if (!entry.offer) say("nothing was offered")
      if (e.round !== entry.passes) say(`round ${e.round} is pass ${entry.passes} of its entry`)
      if (e.enough !== (e.score !== null && e.score >= until.at_least)) say("wrong about what is enough")
      const next = log[i + 1]
      const ends = next?.type === "step.finished" && next.step === e.step && next.status === "complete" && next.at === e.at
      if (e.enough !== ends) say("ends not in the decision that found it enough")
      if (e.score !== null && e.score >= (entry.best?.score ?? 0))
        entry.best = { score: e.score, outputs: entry.offer?.outputs, summary: entry.offer?.summary ?? "" }
    }
    if (e.type !== "step.finished") continue
    const entry = entryOf(e.step)
    const before = log[i - 1]
    if (e.status === "complete" && !(before?.type === "step.scored" && before.step === e.step && before.enough))
      say("complete without a score that is enough")
    if (e.source !== "score") continue
    if (entry.best && (JSON.stringify(e.outputs) !== JSON.stringify(entry.best.outputs) || e.summary !== entry.best.summary))
      say("has not the outputs of its best round")
  }
  return wrong
}
