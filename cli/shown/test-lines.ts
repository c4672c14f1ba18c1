// Shows the report of a flow's tests, for a person. Pure.

import type { TestReport } from "../../src/api/doc/tests.doc.ts"
import { plain } from "../../local/show-run.ts"

export function reportLines({ flow, cases }: TestReport): string[] {
  return cases.flatMap(({ name, passed, run, ms, failures }) => [
    `${passed ? "ok  " : "FAIL"}  ${plain(flow)}: ${plain(name)}  ${ms} ms${passed || run === null ? "" : `  ${run}`}`,
    ...failures.map(
      ({ at, expected, found }) =>
        `        ${plain(at)}: expected ${plain(JSON.stringify(expected))}, found ${plain(JSON.stringify(found))}`,
    ),
  ])
}
