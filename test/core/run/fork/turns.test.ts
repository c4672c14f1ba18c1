// Which turns of a step a model was asked for [K19].

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { TurnFinder, type TurnFound, type TurnPlace } from "../../../../src/core/run/fork/turns.ts"

let seq = 0
const event = (fields: object): RunEvent => ({ seq: ++seq, at: seq * 10, ...fields }) as unknown as RunEvent
const opened = (step: string, pass = 1): RunEvent => event({ type: "step.opened", step, pass, stepType: "agent", tools: [] })
const begun = (step: string, turn: number, pass = 1, kind = "model"): RunEvent =>
  event({ type: "action.begun", kind, step, key: `${step}/${pass}/${turn}/${kind}`, attempt: 1 })
const replied = (step: string, turn: number, pass = 1, more: object = {}): RunEvent =>
  event({ type: "model.replied", step, pass, turn, key: `${step}/${pass}/${turn}/model`, text: `${turn}`, toolCalls: [], ...more })

const find = (events: readonly RunEvent[], place: TurnPlace): TurnFound => {
  const finder = new TurnFinder(place)
  for (const e of events) finder.take(e)
  return finder.find()
}

describe("the turn of a journal", () => {
  test("[K19] without a pass and a turn it is the last one; a turn that was asked again is its last call before the answer", () => {
    const lost = begun("a", 0)
    const answered = begun("a", 0)
    const events = [opened("a"), lost, answered, replied("a", 0), begun("a", 1), replied("a", 1), opened("b"), begun("b", 0)]
    expect(find(events, { step: "a", turn: 0 })).toMatchObject({ ok: true, found: { begun: answered.seq, reply: { text: "0" } } })
    expect(find(events, { step: "a" })).toMatchObject({ ok: true, found: { pass: 1, turn: 1 } })
    const open = find(events, { step: "b" })
    expect(open.ok && open.found.reply).toBe(undefined)
  })

  test("[K19] each pass has its turns, and a summary of a conversation is none", () => {
    const events = [
      opened("a"),
      begun("a", 0),
      replied("a", 0),
      opened("a", 2),
      begun("a", 0, 2, "compact"),
      begun("a", 0, 2),
      replied("a", 0, 2),
      begun("a", 1, 2, "tool"),
    ]
    expect(find(events, { step: "a" })).toMatchObject({ found: { pass: 2, turn: 0 } })
    expect(find(events, { step: "a", pass: 1 })).toMatchObject({ found: { pass: 1, turn: 0 } })
    expect(find(events, { step: "a", turn: 1 })).toEqual({ ok: false, why: { there: [0], what: "turn", pass: 2 } })
    expect(find(events, { step: "a", pass: 3 })).toEqual({ ok: false, why: { there: [1, 2], what: "pass" } })
  })

  test("[K19] a reply that a person gave in the model's place was asked of no model, and what never opened has no turns", () => {
    const events = [opened("a"), replied("a", 0, 1, { by: "ada" }), event({ type: "step.skipped", step: "c" })]
    expect(find(events, { step: "a" })).toEqual({ ok: false, why: { there: [], what: "turn", pass: 1 } })
    expect(find(events, { step: "c" })).toEqual({ ok: false, why: { there: ["a"], what: "step", isSkipped: true } })
    expect(find([], { step: "a" })).toEqual({ ok: false, why: { there: [], what: "step" } })
  })
})
