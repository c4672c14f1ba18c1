// What code keeps between requests belongs to one isolate.

import { expect, onTestFinished, test } from "vitest"
import { Isolate, perIsolate, playIsolates } from "../../src/ports/isolate.ts"

test("a value is made once in an isolate, and two isolates in one process share none", () => {
  let made = 0
  const names = perIsolate(() => ({ number: ++made, known: new Set<string>() }))
  const host = new Isolate()
  let current = host
  onTestFinished(playIsolates(() => current))
  names().known.add("acme")
  expect([names().number, [...names().known]]).toEqual([1, ["acme"]])
  current = new Isolate()
  expect([names().number, [...names().known]]).toEqual([2, []])
  current = host
  expect([names().number, [...names().known]]).toEqual([1, ["acme"]])
})
