// `sluice test [FLOW…]` [K21]: runs the tests of flows and shows what failed.

import { writeFile } from "node:fs/promises"
import type { TestReport } from "../../src/api/doc/tests.doc.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { junit } from "../../src/core/case/junit.ts"
import { defined } from "../../src/core/defined.ts"
import type { Command } from "../command.ts"
import type { Context } from "../context.ts"
import { inDraft } from "../dev/session.ts"
import { flowsIn, hasTests } from "../dev/affected.ts"
import { projectAround } from "../project/project.ts"
import { EXIT } from "../exit.ts"
import { reportLines } from "../shown/test-lines.ts"
import { usage } from "../program.ts"

export const test: Command = {
  name: "test",
  says: "run the tests of these flows, or of all that have tests",
  words: ["[flows...]"],
  options: [
    { flags: "--case <name>", says: "only this case; name one flow" },
    { flags: "--applied", says: "as they are applied, also while sluice dev runs here" },
    { flags: "--junit <file>", says: "also write the results for a CI server" },
  ],
  examples: ["test", 'test triage --case "a bug goes round once"', "test --junit results.xml"],
  async run(context, words, given) {
    const client = await context.client()
    const draft = given.flag("applied") ? undefined : await context.draft()
    if (draft !== undefined) context.note("from the draft of sluice dev; --applied tests what is applied")
    const flows = words.list(0).length > 0 ? words.list(0) : await (draft === undefined ? testedFlows(client) : testedHere(context))
    if (flows.length === 0) throw usage("no flow has tests: write flows/NAME.test.yaml and apply it (sluice apply)")
    const only = given.text("case")
    if (only !== undefined && flows.length > 1) throw usage("--case names a case of one flow: write `sluice test FLOW --case NAME`")
    const reports: TestReport[] = []
    for (const flow of flows) {
      const report = await client.flows.test(
        draft === undefined || flow.includes("@") ? flow : inDraft(flow, draft),
        defined({ case: only }),
      )
      reports.push(report)
      if (!context.isJson) for (const line of reportLines(report)) context.line(line)
    }
    const file = given.text("junit")
    if (file !== undefined) await writeFile(context.file(file), together(reports))
    const failed = reports.reduce((sum, report) => sum + report.failed, 0)
    const passed = reports.reduce((sum, report) => sum + report.passed, 0)
    if (context.isJson) context.json({ passed, failed, data: reports })
    else context.line(`${passed} passed, ${failed} failed`)
    return failed === 0 ? EXIT.ok : EXIT.failed
  },
}

export async function testedFlows(client: Sluice): Promise<string[]> {
  const { data } = await client.catalog.list()
  return data.flatMap(({ kind, id }) => (kind === "test" ? [id] : []))
}

/** The draft has what the folder has. */
async function testedHere(context: Context): Promise<string[]> {
  const { bundle } = await context.bundle((await projectAround(context.world.cwd)) ?? context.world.cwd)
  return flowsIn(bundle).filter((flow) => hasTests(bundle, flow))
}

/** One file for all flows. */
function together(reports: readonly TestReport[]): string {
  const suites = reports.map((report) => /<testsuite [^]*<\/testsuite>/.exec(junit(report))?.[0] ?? "")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  ${suites.join("\n  ")}\n</testsuites>\n`
}
