// `sluice test [FLOW…]` [K21]: runs the tests of flows and shows what failed.

import { writeFile } from "node:fs/promises"
import type { TestReport } from "../src/api/doc/tests.doc.ts"
import type { Sluice } from "../src/client/sluice.ts"
import { junit } from "../src/core/flow/case/junit.ts"
import type { Typed } from "./command-line.ts"
import { plain } from "./show-run.ts"
import { Trouble } from "./trouble.ts"

/** The exit code is 1 on a failure. */
export async function test(client: Sluice, { words, given }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const flows = words.length > 0 ? words : await testedFlows(client)
  if (flows.length === 0) throw new Trouble("no flow has tests: write flows/NAME.test.yaml", 2)
  if (given.case !== undefined && flows.length > 1)
    throw new Trouble("--case names a case of one flow: write `sluice test FLOW --case NAME`")
  const reports: TestReport[] = []
  for (const flow of flows) {
    const report = await client.flows.test(flow, given.case === undefined ? {} : { case: given.case })
    reports.push(report)
    show(report, out)
  }
  if (given.junit !== undefined) await writeFile(given.junit, together(reports))
  const failed = reports.reduce((sum, report) => sum + report.failed, 0)
  const passed = reports.reduce((sum, report) => sum + report.passed, 0)
  out.write(`${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

async function testedFlows(client: Sluice): Promise<string[]> {
  const { data } = await client.catalog.list()
  return data.flatMap(({ kind, id }) => (kind === "test" ? [id] : []))
}

function show({ flow, cases }: TestReport, out: NodeJS.WriteStream): void {
  for (const { name, passed, run, ms, failures } of cases) {
    out.write(`${passed ? "ok  " : "FAIL"}  ${plain(flow)}: ${plain(name)}  ${ms} ms${passed || run === null ? "" : `  ${run}`}\n`)
    for (const { at, expected, found } of failures)
      out.write(`        ${plain(at)}: expected ${plain(JSON.stringify(expected))}, found ${plain(JSON.stringify(found))}\n`)
  }
}

/** One file for all flows. */
function together(reports: readonly TestReport[]): string {
  const suites = reports.map((report) => /<testsuite [^]*<\/testsuite>/.exec(junit(report))?.[0] ?? "")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  ${suites.join("\n  ")}\n</testsuites>\n`
}
