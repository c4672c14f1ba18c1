// What an isolate's calls wait for [R28, R29]: the objects of an isolate share what they were told, and one of them may vanish while it asks.

import { expect, test } from "vitest"
import { ModelPacing } from "../../../src/cloudflare/clients/cache/model-pacing.ts"
import { Isolate, playIsolates } from "../../../src/ports/isolate.ts"
import type { PacedSettings, Question } from "../../../src/ports/tenant/pacing.ts"
import type { ProviderSettings } from "../../../src/ports/tenant/providers.ts"

const SETTINGS: ProviderSettings = { kind: "openai", apiKey: "k" }
const GOING = { aborted: false }
const call = (key: string) => ({ key, family: key, rank: "normal", bytes: 4, maxOutput: 1 }) as const
/** Near a limit: each call has its turn by name. */
const letGo = (questions: readonly Question[]): PacedSettings => ({
  settings: SETTINGS,
  answers: Object.fromEntries(
    questions.map(({ model, waiting }) => [model, { turns: Object.fromEntries(waiting.map(({ key }) => [key, "now" as const])) }]),
  ),
  bound: "all",
})

test("[R28] [S16] an object that is aborted while it asks holds up no call of the others", async () => {
  const back = playIsolates(() => isolate)
  const isolate = new Isolate()
  let now = 0
  const pacing = (ask: () => Promise<PacedSettings>, asked: Question[][] = []): ModelPacing =>
    new ModelPacing({ tenant: "t", ask: (_name, questions) => (asked.push([...questions]), ask()), now: () => now })
  try {
    const aborted = pacing(() => new Promise(() => undefined))
    void aborted.gate(SETTINGS, "p", "m")?.(call("one")).pass(60_000, GOING)
    await new Promise((turn) => setImmediate(turn))
    now += 5_000
    const asked: Question[][] = []
    const alive = new ModelPacing({
      tenant: "t",
      ask: async (_name, questions) => (asked.push([...questions]), letGo(questions)),
      now: () => now,
    })
    expect(await alive.gate(SETTINGS, "p", "m")?.(call("two")).pass(60_000, GOING)).toBe("now")
    expect(asked).toHaveLength(1)
  } finally {
    back()
  }
})

test("[R28] while one object asks, the others of its isolate do not", async () => {
  const back = playIsolates(() => isolate)
  const isolate = new Isolate()
  let now = 0
  const asked: Question[][] = []
  const { promise, resolve } = Promise.withResolvers<PacedSettings>()
  const pacing = new ModelPacing({ tenant: "t", ask: (_name, questions) => (asked.push([...questions]), promise), now: () => now })
  try {
    const one = pacing.gate(SETTINGS, "p", "m")?.(call("one")).pass(60_000, GOING)
    await new Promise((turn) => setImmediate(turn))
    now += 2_000
    const two = pacing.gate(SETTINGS, "p", "m")?.(call("two")).pass(0, { aborted: true })
    await two
    expect(asked).toHaveLength(1)
    resolve(letGo(asked[0] ?? []))
    expect(await one).toBe("now")
  } finally {
    back()
  }
})

test("[R28] a call whose model was idle until others asked without it waits for its turn, and asks for it once", async () => {
  const back = playIsolates(() => isolate)
  const isolate = new Isolate()
  let now = 0
  const asked: Question[][] = []
  const ask = async (_name: string, questions: readonly Question[]): Promise<PacedSettings> => {
    if (asked.push([...questions]) > 5) throw new Error("it asks without end")
    return letGo(questions)
  }
  const pacing = new ModelPacing({ tenant: "t", ask, now: () => now })
  try {
    const paused = pacing.gate(SETTINGS, "p", "paused")?.(call("one"))
    now += 61_000
    expect(await pacing.gate(SETTINGS, "p", "other")?.(call("two")).pass(60_000, GOING)).toBe("now")
    asked.length = 0
    expect(await paused?.pass(60_000, GOING)).toBe("now")
    expect(asked.map((questions) => questions.map(({ model }) => model))).toEqual([["p/paused"]])
  } finally {
    back()
  }
})
