// [V32] What the trials of an experiment begin with stays for as long as it runs, whoever else has left those bodies.

import { expect, test } from "vitest"
import { BodyStore } from "../../../../src/cloudflare/tenant/bodies/body-store.ts"
import { ExperimentStore, type ExperimentBody } from "../../../../src/cloudflare/tenant/quality/experiments/experiment-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

test("[V32] [F71] a running experiment owns the bodies that its variants are pinned to, and one that has ended owns none", () => {
  const sql = new TenantSql(sqliteStorage())
  const bodies = new BodyStore(sql, () => 0, { want: () => undefined, isCopied: true })
  const [pinned, other] = ["a".repeat(64), "b".repeat(64)]
  expect(bodies.owned([pinned, other])).toEqual(new Set())
  const body = { variants: [{ name: "now", pins: { flow: pinned } }] } as unknown as ExperimentBody
  new ExperimentStore(sql).add("exp_1", body, [], { now: 0 })
  expect(bodies.owned([pinned, other])).toEqual(new Set([pinned]))
  sql.write((one) => one.exec("UPDATE experiment SET status = 'done'"))
  expect(bodies.owned([pinned, other])).toEqual(new Set())
})
