// Answers calls and questions of a trial as its row's run recorded them [V35]: the n-th equal call of a step with the n-th result. Which one is
// asked for follows from the trial's own journal, so a crash changes nothing.

import { defined } from "../defined.ts"
import { canonical, type JsonObject } from "../json.ts"
import type { GivenResult } from "../run/event-parts.ts"
import type { EventOf, RunEvent } from "../run/event.ts"

export interface RecordedCall {
  readonly step: string
  readonly tool: string
  readonly args: JsonObject
}

type Returned = EventOf<"tool.returned">

/** Where the answer of a call is written once it comes. */
interface Place {
  returned?: Returned
}

export class RecordedAnswers {
  readonly #calls = new Map<string, Place[]>()
  readonly #answers = new Map<string, EventOf<"interaction.answered">[]>()

  constructor(events: readonly RunEvent[]) {
    const open = new Map<string, Place>()
    const asked = new Map<string, EventOf<"interaction.asked">>()
    for (const e of events) {
      for (const { id, ...call } of callsIn(e)) {
        const place: Place = {}
        // Ids of calls are unique in one reply of one step.
        open.set(`${call.step}\n${id}`, place)
        put(this.#calls, keyOf(call), place)
      }
      const called = e.type === "tool.returned" ? open.get(`${e.step}\n${e.callId}`) : undefined
      if (e.type === "tool.returned" && called) called.returned = e
      if (e.type === "interaction.asked") asked.set(e.id, e)
      const question = e.type === "interaction.answered" ? asked.get(e.id) : undefined
      if (e.type === "interaction.answered" && question) put(this.#answers, `${question.step}\n${question.kind}`, e)
    }
  }

  /** `before`: how many equal calls came before, those of a fork's beginning included. undefined: it has no answer that could be given again. */
  result(call: RecordedCall, before: number): GivenResult | undefined {
    const e = this.#calls.get(keyOf(call))?.[before]?.returned
    // What stands in for the answer of a kept call is the mode's, and an unknown outcome is none.
    if (e === undefined || e.staged === true || e.uncertain === true) return undefined
    const { isError, content, attached, details, truncated, digest, tainted, private: isPrivate } = e
    return {
      isError,
      content,
      ...defined({ attached, details, truncated, digest }),
      ...(tainted === true ? { untrusted: true } : {}),
      ...(isPrivate === true ? { private: true } : {}),
    }
  }

  /** `before`: how many questions of this step and kind came before. */
  answer(step: string, kind: string, before: number): EventOf<"interaction.answered"> | undefined {
    return this.#answers.get(`${step}\n${kind}`)?.[before]
  }
}

/** Counts equal calls of a journal that grows. */
export class CallCount {
  readonly #counts = new Map<string, number>()

  read(e: RunEvent): void {
    for (const call of callsIn(e)) this.add(call)
  }

  add(call: RecordedCall): void {
    const key = keyOf(call)
    this.#counts.set(key, this.of(call) + 1)
  }

  of(call: RecordedCall): number {
    return this.#counts.get(keyOf(call)) ?? 0
  }
}

/** By a reply, or by the step itself. */
const callsIn = (e: RunEvent): readonly (RecordedCall & { readonly id: string })[] =>
  e.type === "model.replied" || e.type === "step.called"
    ? e.toolCalls.map(({ id, name, args }) => ({ id, step: e.step, tool: name, args }))
    : []

const keyOf = ({ step, tool, args }: RecordedCall): string => `${step}\n${tool}\n${canonical(args)}`

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
