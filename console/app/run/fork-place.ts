// Where a fork from the selection begins, and the recorded value that can be another one there [K8, K12].

import type { Fork } from "../../../src/api/run/forks.ts"
import { RUN, type Selection } from "./selection.ts"
import { stepIn, type ShownRun } from "./use-run.ts"

type From = NonNullable<Fork["from"]>

export interface ForkPlace {
  readonly from: From
  readonly words: string
}

export interface Recorded extends ForkPlace {
  readonly kind: "reply" | "finish" | "answer"
  readonly label: string
  readonly value: object
}

/** The chosen turn, the chosen step, the moment that is shown, or else the end of the run. */
export function placeOf({ story, at, last }: ShownRun, chosen: string, selection: Selection): ForkPlace {
  const { passes } = stepIn(story, chosen)
  const pass = passes.find((one) => one.pass === selection.pass) ?? passes.at(-1)
  if (chosen === RUN || !pass) {
    const seq = at ?? last
    return { from: { seq }, words: `event ${seq}` }
  }
  const turn = pass.turns.find((one) => selection.call === `t${one.turn}` || one.calls.some(({ id }) => id === selection.call))
  const name = pass.pass > 1 ? `${chosen}, pass ${pass.pass}` : chosen
  if (turn) return { from: { step: chosen, pass: pass.pass, turn: turn.turn }, words: `${name}, turn ${turn.turn + 1}` }
  return { from: { step: chosen, pass: pass.pass }, words: name }
}

/** undefined: nothing is recorded there. A chosen turn gives its reply; a step that has ended its result; a step at work its last reply. */
export function recordedOf(shown: ShownRun, chosen: string, selection: Selection): Recorded | undefined {
  const { passes } = stepIn(shown.story, chosen)
  const pass = passes.find((one) => one.pass === selection.pass) ?? passes.at(-1)
  if (!pass) return undefined
  const place = placeOf(shown, chosen, selection)
  const turn = pass.turns.find((one) => selection.call === `t${one.turn}` || one.calls.some(({ id }) => id === selection.call))
  const reply = turn ?? (pass.summary === undefined ? pass.turns.findLast(({ endSeq }) => endSeq !== undefined) : undefined)
  if (reply && reply.endSeq !== undefined)
    return {
      kind: "reply",
      label: `What the model said in turn ${reply.turn + 1}`,
      words: `${chosen}, turn ${reply.turn + 1}`,
      from: { step: chosen, pass: pass.pass, turn: reply.turn },
      value: { text: reply.text, toolCalls: reply.calls.map(({ tool, args }) => ({ name: tool, args })) },
    }
  if (pass.summary === undefined) return undefined
  return {
    ...place,
    kind: "finish",
    label: "How the step ended",
    value: {
      status: pass.status === "error" || pass.status === "blocked" ? pass.status : "complete",
      summary: pass.summary,
      outputs: pass.outputs ?? {},
      ...(pass.branch === undefined ? {} : { branch: pass.branch }),
    },
  }
}
