// All runs of a group, newest first. The group names its latest ten; the others are found among the failed runs of its flow, by what makes
// failures the same [H14].

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import { shapeOf } from "../../../src/core/run/failure/shape.ts"
import type { Api } from "../shell/session.ts"

/** Runs that one press forks. */
export const MAX_FORKED = 100
/** Failed runs of the flow that are looked through. */
const MAX_LOOKED = 1_000
const PAGE = 200

export async function runsOfGroup(api: Api, group: FailureGroup): Promise<readonly string[]> {
  const runs = new Set(group.runs)
  const most = Math.min(group.count, MAX_FORKED)
  if (runs.size >= most) return [...runs]
  let looked = 0
  for await (const row of api.runs.list({ flow: group.flow, status: "failed", children: 1, limit: PAGE })) {
    if (isOf(group, row)) runs.add(row.id)
    looked += 1
    if (runs.size >= most || looked >= MAX_LOOKED) break
  }
  return [...runs]
}

function isOf({ step, source, shape, rehearsed }: FailureGroup, { error, trigger, rehearsed: isRehearsed }: RunRow): boolean {
  if (error === undefined || trigger.kind === "test" || isRehearsed !== rehearsed) return false
  return error.step === step && error.source === source && shapeOf(error.message) === shape
}
