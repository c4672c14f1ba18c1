// Explains why a run cannot be forked at a place [K8], and lists valid places.

import { short } from "../../core/text/pointer.ts"
import type { From, NoCut } from "../../core/run/fork/cut.ts"
import type { ForkResult } from "../../ports/fork.ts"
import type { Refusal } from "../middleware/problem.ts"

/** Places that a sentence lists; the member `there` has them all. */
const SHOWN_PLACES = 20

export function notForkable({ why, what }: Extract<ForkResult, { code: "not_forkable" }>, from: From): Refusal {
  const code = "not_forkable"
  if (why === undefined) return { code, detail: `The run cannot be forked: ${what ?? "it cannot be read"}.` }
  if ("there" in why) return { code, ...notThere(why, from) }
  const seq = "seq" in from ? from.seq : 0
  if ("first" in why) {
    const { first, last, isLater } = why
    const detail = isLater
      ? `Event ${seq} was recorded after the run's end and is not part of its history: \`seq\` is from ${first} to ${last}.`
      : `The run has no event ${seq} to be forked after: \`seq\` is from ${first} to ${last}.`
    return { code, detail, more: { first, last } }
  }
  const { before, after, isEnd } = why
  const detail = isEnd
    ? `Event ${seq} is the run's end, and nothing comes after it. The nearest place is ${before ?? "none"}.`
    : `Event ${seq} is inside a decision, which cannot be split. The nearest places: ${[before, after].filter((place) => place !== null).join(" and ") || "none"}.`
  return { code, detail, more: { before, after } }
}

/** Explains what a run lacks, and lists what it has instead. */
export const notThere = (why: Absent, from: From): Omit<Refusal, "code"> => ({
  detail: `${absent(why, from)} ${listed(why)}`,
  more: { there: why.there },
})

type Absent = Extract<NoCut, { there: unknown }>

function absent({ what, pass, isSkipped }: Absent, from: From): string {
  if ("interaction" in from) return `The run has asked no question ${short(from.interaction)}.`
  const step = short("step" in from ? from.step : "")
  if (what === "step") return isSkipped ? `The step ${step} was skipped, so it never opened.` : `No step ${step} has opened in this run.`
  if (what === "pass") return `The step ${step} has no pass ${"pass" in from ? from.pass : ""}.`
  return `In pass ${pass} of the step ${step} no model was called for a turn ${"turn" in from ? from.turn : ""}.`
}

const PLACES: Readonly<Record<Absent["what"], string>> = {
  step: "Steps that have opened",
  pass: "Its passes",
  turn: "Turns of that pass",
  interaction: "Its questions",
}

function listed({ what, there }: Absent): string {
  const more = there.length > SHOWN_PLACES ? ` and ${there.length - SHOWN_PLACES} more` : ""
  return `${PLACES[what]}: ${there.slice(0, SHOWN_PLACES).join(", ") || "none"}${more}.`
}
