import { expect, test } from "vitest"
import { Place } from "../platform/place.ts"
import type { Coming } from "../platform/timeline.ts"
import { Endless, Spins } from "./spins.ts"

const machine = { name: "machine", exports: {}, skew: 0, isGone: false }
const ASKS = "TenantObject acme.settings.paced: answer"

/** Places that ask in turn, each again after so many ms: what the law says, and of which event. */
function heard(places: readonly string[], pause: number, events: number, runs = 12): { readonly said: string[]; readonly events: number } {
  const said: string[] = []
  const spins = new Spins((what) => void said.push(what), runs)
  const all = places.map((label) => new Place(label, machine))
  let count = 0
  try {
    while (count < events) {
      const place = all[count % all.length]
      const at = Math.floor(count / all.length) * pause
      count++
      spins.happens({ at, place, label: ASKS, order: 0, isOff: false, happen: () => {} } satisfies Coming)
    }
  } catch (e) {
    if (!(e instanceof Endless)) throw e
  }
  return { said, events: count }
}

test("an object that asks without a pause is found, and ends the seed, although it would have stopped", () => {
  const said = [`RunObject acme/run_1 spins: more than 5000 events within 60 s, the last one ${ASKS}`]
  expect(heard(["RunObject acme/run_1"], 4, 6_000)).toEqual({ said, events: 5001 })
  expect(heard(["RunObject acme/run_1"], 4, 5_000).said).toEqual([])
})

test("an object that pauses is not found, however long the seed", () => {
  expect(heard(["RunObject acme/run_1"], 100, 90_000)).toEqual({ said: [], events: 90_000 })
})

test("a seed whose places are all below their bound is found by its sum, which grows with its runs", () => {
  const places = Array.from({ length: 10 }, (_, n) => `RunObject acme/run_${n}`)
  const { said, events } = heard(places, 100, 150_000)
  expect([said, events]).toEqual([[`the seed spins: more than 100000 events, the last one ${ASKS}`], 100_001])
  expect(heard(places, 100, 150_000, 24)).toEqual({ said: [], events: 150_000 })
})
