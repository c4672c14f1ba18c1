// A run that is in memory and not in its journal is told to nobody [J14]: the commit of its start has failed, or has not been tried.

import { expect, test } from "vitest"
import type { AwakeRun } from "../../../src/cloudflare/run/awake-run.ts"
import { RunDuties } from "../../../src/cloudflare/run/run-duties.ts"
import type { RunResources } from "../../../src/cloudflare/run/run-resources.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"

test("[J14] a run without events is reported to nobody", async () => {
  const asked: unknown[] = []
  const ask = async (...call: unknown[]): Promise<unknown> => {
    asked.push(call)
    return { retention: 1 }
  }
  const nothing = (): undefined => undefined
  const alarm = { share: nothing, settle: nothing, want: nothing, drop: nothing }
  const same = <T>(row: T): T => row
  const resources = {
    env: { TENANT: { idFromName: nothing, get: () => ({ ask }) } },
    kv: { get: nothing },
    later: nothing,
    alarm,
    events: { delivered: nothing, retention: nothing },
    sessions: { unsaved: () => 0 },
    containers: { any: () => false },
    bodies: { late: () => "", withBodies: same, told: nothing },
    bytes: { withBytes: same },
    telemetry: { measure: nothing, due: nothing, wanted: nothing },
  } as unknown as RunResources
  const duties = new RunDuties(resources, { tenant: "t", isLeaving: false } as AwakeRun, { leave: () => Promise.resolve() })
  const run = newRun(planOf(flowOf([agent("a")])))
  duties.tell(run)
  await duties.settled()
  expect(asked).toEqual([])
  run.seq = 1
  duties.tell(run)
  await duties.settled()
  expect(asked).toMatchObject([["runs", "note", [{ status: "queued" }]]])
})
