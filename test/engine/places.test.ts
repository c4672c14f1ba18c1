// Places: who comes in, and in which order.

import { expect, test } from "vitest"
import { Places } from "../../src/engine/places.ts"

const settled = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

function setUp(places: number) {
  const gate = new Places(places)
  const inside: string[] = []
  const come = (name: string, weight?: number, signal?: AbortSignal): void =>
    void gate.enter(signal, weight).then((came) => inside.push(came ? name : `${name} left`))
  return { gate, inside, come }
}

test("[J16] as many as there are places come in, and the others in order", async () => {
  const { gate, inside, come } = setUp(2)
  for (const name of ["a", "b", "c", "d"]) come(name)
  await settled()
  expect(inside).toEqual(["a", "b"])
  gate.leave()
  await settled()
  expect(inside).toEqual(["a", "b", "c"])
})

test("[J16] a heavy caller is not overtaken, and one that is too heavy comes in alone", async () => {
  const { gate, inside, come } = setUp(10)
  come("six", 6)
  come("seven", 7)
  come("one", 1)
  come("hundred", 100)
  come("last", 1)
  await settled()
  expect(inside).toEqual(["six"])
  gate.leave(6)
  await settled()
  expect(inside).toEqual(["six", "seven", "one"])
  gate.leave(7)
  await settled()
  expect(inside).not.toContain("hundred")
  gate.leave(1)
  await settled()
  expect(inside.at(-1)).toBe("hundred")
  gate.leave(100)
  await settled()
  expect(inside.at(-1)).toBe("last")
})

test("[J16] one that is aborted leaves the line, and the next one may fit", async () => {
  const { inside, come } = setUp(4)
  const ending = new AbortController()
  come("three", 3)
  come("four", 4, ending.signal)
  come("one", 1)
  await settled()
  expect(inside).toEqual(["three"])
  ending.abort()
  await settled()
  expect(inside.toSorted((a, b) => a.localeCompare(b))).toEqual(["four left", "one", "three"])
  come("late", 1, ending.signal)
  await settled()
  expect(inside.at(-1)).toBe("late left")
})
