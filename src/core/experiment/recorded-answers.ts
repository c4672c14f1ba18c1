// Answers calls and questions of a trial as its row's run recorded them [V35]: the n-th equal call of a step with the n-th result. Which one is
// asked for follows from the trial's own journal, so a crash changes nothing.

import { canonical, type Json, type JsonObject } from "../json.ts"
import type { EventOf, RunEvent } from "../run/event.ts"

export interface RecordedCall {
  readonly step: string
  readonly tool: string
  readonly args: Json
}

export class RecordedAnswers {
  readonly #results = new Map<string, EventOf<"tool.returned">[]>()
  readonly #answers = new Map<string, EventOf<"interaction.answered">[]>()

  constructor(events: readonly RunEvent[]) {
    const called = new Map<string, RecordedCall>()
    const asked = new Map<string, EventOf<"interaction.asked">>()
    for (const e of events) {
      // Ids of calls are unique in one reply of one step.
      if (e.type === "model.replied" || e.type === "step.called")
        for (const { id, name, args } of e.toolCalls) called.set(`${e.step}\n${id}`, { step: e.step, tool: name, args })
      const call = e.type === "tool.returned" ? called.get(`${e.step}\n${e.callId}`) : undefined
      if (e.type === "tool.returned" && call && e.uncertain !== true) put(this.#results, keyOf(call), e)
      if (e.type === "interaction.asked") asked.set(e.id, e)
      const question = e.type === "interaction.answered" ? asked.get(e.id) : undefined
      if (e.type === "interaction.answered" && question) put(this.#answers, `${question.step}\n${question.kind}`, e)
    }
  }

  /** `before`: the trial's calls that came before, those it took over included. undefined: nobody recorded it. */
  result(call: RecordedCall, before: readonly RecordedCall[]): EventOf<"tool.returned"> | undefined {
    const key = keyOf(call)
    return this.#results.get(key)?.[before.filter((one) => keyOf(one) === key).length]
  }

  /** `before`: how many questions of this step and kind came before. */
  answer(step: string, kind: string, before: number): EventOf<"interaction.answered"> | undefined {
    return this.#answers.get(`${step}\n${kind}`)?.[before]
  }
}

const keyOf = ({ step, tool, args }: RecordedCall): string => `${step}\n${tool}\n${canonical(args as JsonObject)}`

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
