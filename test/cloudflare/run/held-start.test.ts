// A start that is sent twice [R20, R44]: the one that comes after the run has begun leaves nothing behind.

import { expect, test } from "vitest"
import { HeldStart } from "../../../src/cloudflare/run/held-start.ts"
import type { RunResources } from "../../../src/cloudflare/run/run-resources.ts"
import type { HeldFork } from "../../../src/ports/fork.ts"
import type { StartRequest } from "../../../src/ports/run.ts"

const REQUEST = { tenant: "t", run: "run_1", flow: "f", inputs: {} } as unknown as StartRequest

function stand(events: number) {
  const rows = new Map<string, unknown>()
  const wanted: string[] = []
  const resources = {
    journal: { last: () => events },
    kv: { get: (key: string) => rows.get(key), put: (key: string, value: unknown) => void rows.set(key, value) },
    alarm: { want: (name: string) => void wanted.push(name) },
  } as unknown as RunResources
  return { held: new HeldStart(resources), rows, wanted }
}

test.each([
  ["a start", (held: HeldStart) => held.keep(REQUEST)],
  ["a fork in line", (held: HeldStart) => held.keepFork(REQUEST, {} as HeldFork)],
])("[R44] %s is held until its run begins, and not once more after it", (_, keep) => {
  const before = stand(0)
  keep(before.held)
  expect(before.held.read()).toMatchObject({ run: "run_1" })
  expect(before.wanted).toEqual(["held start"])
  const after = stand(3)
  keep(after.held)
  expect([...after.rows]).toEqual([])
  expect(after.wanted).toEqual([])
})
