// A run that is erased while its object asks how long it is kept leaves no alarm behind [N3].

import { expect, test } from "vitest"
import type { AwakeRun } from "../../../src/cloudflare/run/awake-run.ts"
import type { RunStart } from "../../../src/cloudflare/run/run-start.ts"
import type { HeldStart } from "../../../src/cloudflare/run/held-start.ts"
import { RunRetention } from "../../../src/cloudflare/run/leaving/run-retention.ts"
import type { UnwantedRun } from "../../../src/cloudflare/run/leaving/unwanted-run.ts"
import type { RunDuties } from "../../../src/cloudflare/run/run-duties.ts"
import type { RunResources } from "../../../src/cloudflare/run/run-resources.ts"

const DAY = 86_400_000

/** An object whose run ended two days ago, of a tenant that keeps runs for thirty. */
function stand(whileAsked: (rows: { last: number }) => void) {
  const rows = { last: 3 }
  const wanted: string[] = []
  const nothing = (): undefined => undefined
  const ask = async (): Promise<number> => {
    whileAsked(rows)
    return 30 * DAY
  }
  const resources = {
    env: { TENANT: { idFromName: nothing, get: () => ({ ask }) } },
    journal: {
      last: () => rows.last,
      pick: () => (rows.last === 0 ? [] : [{ type: "run.ended", seq: 3, at: Date.now() - 2 * DAY }]),
    },
    alarm: { want: (name: string) => void wanted.push(name), watch: (name: string) => void wanted.push(name) },
    record: { until: nothing, isSpent: () => false },
  } as unknown as RunResources
  const retention = new RunRetention(resources, { tenant: "t", identity: nothing } as unknown as AwakeRun, {
    held: { read: () => undefined } as unknown as HeldStart,
    starts: { report: async () => false } as unknown as RunStart,
    unwanted: { until: nothing } as unknown as UnwantedRun,
    duties: { areOwed: false, hasTold: true } as unknown as RunDuties,
  })
  return { retention, wanted }
}

test("[H6] a run that is still kept wants the alarm of its deletion", async () => {
  const { retention, wanted } = stand(() => undefined)
  expect(await retention.isOver()).toBe(false)
  expect(wanted).toEqual(["retention"])
})

test("[N3] [J12] a run that is erased while its tenant is asked wants no alarm any more", async () => {
  const { retention, wanted } = stand((rows) => (rows.last = 0))
  await retention.isOver()
  expect(wanted).toEqual([])
})
