// What every projection of a journal promises its readers [P11, E3]: one that comes late, or comes back, gets exactly the rest.

import { expect } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { PiFlowsFrame } from "../../../src/core/run/views/pi-flows.ts"

export interface Projection {
  frames(e: RunEvent): readonly PiFlowsFrame[]
  copy(): Projection
}

export const projected = (projection: Projection, log: readonly RunEvent[]): PiFlowsFrame[] => log.flatMap((e) => projection.frames(e))

/** Two copies made after `at` events each go on as the whole does, and neither disturbs the other. */
export function expectCopiesToGoOn(fresh: () => Projection, log: readonly RunEvent[], at: number): void {
  const whole = projected(fresh(), log)
  const early = fresh()
  const before = projected(early, log.slice(0, at))
  const [one, other] = [early.copy(), early.copy()]
  const rest = projected(one, log.slice(at))
  expect([...before, ...rest]).toEqual(whole)
  expect(projected(other, log.slice(at))).toEqual(rest)
}
