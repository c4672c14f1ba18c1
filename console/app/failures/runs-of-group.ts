// All runs of a group, newest first. The group names its latest ten; the others are found among the failed runs of its flow, by what makes
// failures the same [H14].

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import { shapeOf } from "../../../src/core/run/failure/shape.ts"
import { searchOf } from "../../../web/runs/query.ts"
import type { Api } from "../shell/session.ts"

/** Runs that one press forks. */
export const MAX_FORKED = 1_000
/** Failed runs of the flow that are looked through, after the server has looked for the words of the message. */
const MAX_LOOKED = 4_000
const PAGE = 200
/** Words of a message that are looked for. */
const MAX_WORDS = 8

export async function runsOfGroup(api: Api, group: FailureGroup): Promise<readonly RunRow[]> {
  const runs: RunRow[] = []
  const most = Math.min(group.count, MAX_FORKED)
  const q = wordsOf(group).join(" ")
  let looked = 0
  for await (const row of api.runs.list({ flow: group.flow, status: "failed", children: 1, limit: PAGE, ...(q === "" ? {} : { q }) })) {
    if (isOf(group, row)) runs.push(row)
    looked += 1
    if (runs.length >= most || looked >= MAX_LOOKED) break
  }
  return runs
}

/** The list of runs, narrowed to the flow, the step and the words that all messages of the group have. */
export const searchFor = (group: FailureGroup): string =>
  group.scorer === undefined ? searchForFailed(group) : searchForScored(group.flow, group.scorer)

/** The level stands in no row of the list. */
const searchForScored = (flow: string, scorer: string): string =>
  searchOf({
    tokens: [
      { key: "flow", value: flow },
      { key: "scorer", value: scorer },
    ],
    words: "",
  })

const searchForFailed = (group: FailureGroup): string =>
  searchOf({
    tokens: [
      { key: "status", value: "failed" },
      { key: "flow", value: group.flow },
      { key: "children", value: "1" },
    ],
    words: wordsOf(group)
      .map((word) => (word.includes(":") ? `"${word}"` : word))
      .join(" "),
  })

/** What stands between the holes of its shape, without signs that a search would not find by themselves. */
function wordsOf({ shape, step }: FailureGroup): readonly string[] {
  const words = shape
    .split(/<(?:url|text|id|n)>|\s/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((word) => word.length > 1)
  return [...new Set([...(step === undefined ? [] : [step]), ...words])].slice(0, MAX_WORDS)
}

function isOf({ step, source, shape, rehearsed }: FailureGroup, { error, trigger, rehearsed: isRehearsed }: RunRow): boolean {
  if (error === undefined || trigger.kind === "test" || isRehearsed !== rehearsed) return false
  return error.step === step && error.source === source && shapeOf(error.message) === shape
}
