// Shows what a gate says of a change, for a person: which tests fail, which recorded runs part, where and why. Pure.

import { z } from "zod"
import type { CatalogPlan } from "../../src/api/doc/catalog.doc.ts"
import { Backtest, TestReport } from "../../src/api/doc/tests.doc.ts"
import { plain } from "../../local/show-run.ts"
import { reportLines } from "./test-lines.ts"
import { backtestLine } from "./backtest-lines.ts"

export function gateLines({ gate }: Pick<CatalogPlan, "gate">): readonly string[] {
  const over = (gate.passed_over ?? []).map(({ flow, run, message }) => `! gate passed over ${run} of ${plain(flow)}: ${plain(message)}`)
  if (gate.passed) return gate.reached.length === 0 ? [] : [`gate passed: ${gate.reached.map(plain).join(", ")}`, ...over]
  const broken = brokenIn(gate.report)
  return [...(broken.length === 0 ? ["! gate FAILED"] : broken.flatMap(flowLines)), ...over]
}

interface Broken {
  readonly flow: string
  readonly failed: number
  readonly tests: TestReport | undefined
  readonly runs: Backtest["runs"]
}

/** The report is of the server's version, which may be newer: what this one cannot read is left out. */
function brokenIn({ flows }: CatalogPlan["gate"]["report"]): readonly Broken[] {
  if (!Array.isArray(flows)) return []
  return flows.flatMap((one) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return []
    const tests = TestReport.safeParse(one["tests"])
    const runs = Backtest.pick({ runs: true }).safeParse(one["backtest"])
    return [
      {
        flow: typeof one["flow"] === "string" ? one["flow"] : "a flow",
        failed: Failed.safeParse(one["tests"]).data?.failed ?? 0,
        tests: tests.success ? tests.data : undefined,
        runs: runs.success ? runs.data.runs.filter(({ why }) => why !== undefined) : [],
      },
    ]
  })
}

const Failed = z.object({ failed: z.number() })

function flowLines({ flow, failed, tests, runs }: Broken): readonly string[] {
  const cases = (tests?.cases ?? []).filter(({ passed }) => !passed)
  const whys = [...new Set(runs.flatMap(({ why = "" }) => (why === "" ? [] : [why])))]
  return [
    `! gate FAILED: ${plain(flow)}${failed > 0 ? ` (${failed} of its tests fail)` : ""}`,
    ...(tests === undefined ? [] : reportLines({ ...tests, cases })).map((line) => `    ${line}`),
    ...(failed > 0 ? [`    again, here: sluice test ${plain(flow)}`] : []),
    ...runs.map((run) => `    ${backtestLine(run)}`),
    ...(whys.length === 0
      ? []
      : [
          `    again, here: sluice backtest ${plain(flow)}; if this is what you want, gate.yaml can say \`allow: [${whys.map(plain).join(", ")}]\``,
        ]),
  ]
}
