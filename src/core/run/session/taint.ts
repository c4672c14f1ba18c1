// Computes taint [G11]: anything made from text from outside stays marked wherever it goes. The mark limits what an agent may do, not what
// it reads.

import { forms, references, type TemplateReference } from "../../flow/template.ts"
import { originsOf, type Origin } from "../../flow/origin.ts"
import type { Answer } from "../signal.ts"
import { lookup } from "../steps/scope.ts"
import type { Run, StepResult, StepState } from "../state.ts"

/**
 * The marks of a step with these templates: it is marked if a template uses a marked result, or if the run is marked. The private mark spreads in the
 * same way: a step that only passes private text on must not bypass the guard. `quoted`: other steps whose results it receives. `judged`: steps whose
 * last round it is told of.
 */
export function taint(run: Run, templates: readonly string[], quoted: readonly string[] = [], judged: readonly string[] = []): Marks {
  const results: Marked[] = quoted.flatMap((step) => resultOf(run, step))
  const taken = [...templates.flatMap((t) => resultsIn(run, t)), ...results, ...judged.flatMap((step) => judgedIn(run, step))]
  // [P3] The task names what is attached in its sender's words.
  const names = !run.tainted && run.origins?.includes("attachments") === true && templates.some((t) => usesTask(run, t))
  const own = run.tainted ? (run.origins ?? []) : names ? (["attachments"] as const) : []
  const origins = originsOf([...own, ...taken.flatMap((r) => r.origins ?? [])])
  return {
    ...(run.tainted || names || taken.some((r) => r.tainted === true) ? { tainted: true } : {}),
    ...(origins.length === 0 ? {} : { origins }),
    ...(run.private || taken.some((r) => r.private === true) ? { private: true } : {}),
  }
}

export interface Marks {
  tainted?: true
  origins?: Origin[]
  private?: true
}

const usesTask = (run: Run, template: string): boolean => references(template, run.plan.stepIds).some(({ ref }) => ref?.root === "task")

/** The mark of a free text from the holder of a token, unless the run trusts such answers. */
export const strange = ({ trusted }: Pick<Run, "trusted">, outside: true | undefined, body: Answer): { tainted?: true } =>
  outside === true && says(body) && trusted?.includes("answers") !== true ? { tainted: true } : {}

/**
 * The mark of a person's answer to this step. Text from outside may have made a marked session ask, so the answer must not leave the run
 * without approval. An answer without content (`auto`, `cancelled`, an approval) has no mark.
 */
export function confided({ tainted, session, decider }: StepState, body: Answer | string): { private?: true } {
  const marked = tainted === true || session?.tainted === true || decider?.tainted === true
  return marked && (typeof body === "string" || says(body)) ? { private: true } : {}
}

/** The mark of a signal from outside. A signal needs no question, so it may answer any marked session of the run. */
export function signalMark(run: Run): { private?: true } {
  const marked = run.tainted || Object.values(run.steps).some((s) => s.tainted || s.session?.tainted || s.result?.tainted)
  return marked ? { private: true } : {}
}

/** An approved call that runs as the agent made it says nothing, but words with the approval are told [Q3]. */
const says = ({ answer, notes, custom, args, feedback }: Answer): boolean =>
  [answer, custom, args].some((part) => part !== undefined) || (notes ?? "") !== "" || (feedback ?? "") !== ""

function resultsIn(run: Run, template: string): Marked[] {
  const see = lookup(run, {})
  return forms(template, run.plan.stepIds).flatMap(({ operands }) => {
    const refs = operands.flatMap(({ ref }) => ref ?? [])
    const chosen = refs.length < 2 ? -1 : refs.findIndex((ref) => see(ref) !== undefined)
    // Of several operands, those before the chosen one count too: who left them without a value chose the next.
    return (chosen < 0 ? refs : refs.slice(0, chosen + 1)).flatMap((ref) => markedBy(run, ref))
  })
}

/** A fork's answer and notes are written by its agent. */
function markedBy(run: Run, ref: TemplateReference): Marked[] {
  if (ref.root === "until") return judgedIn(run, ref.step)
  return ref.root === "result" || ref.root === "fork" ? resultOf(run, ref.step) : []
}

/** [V24] Of what was judged. */
function judgedIn(run: Run, step: string): Marked[] {
  const last = Object.hasOwn(run.steps, step) ? run.steps[step]?.rounds?.last : undefined
  return last ? [last] : []
}

type Marked = Pick<StepResult, "tainted" | "origins" | "private">

function resultOf(run: Run, step: string): StepResult[] {
  const result = Object.hasOwn(run.steps, step) ? run.steps[step]?.result : undefined
  return result ? [result] : []
}
