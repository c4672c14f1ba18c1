// Shows what a gate says of a change, for a person: which tests fail, which recorded runs part, where and why. Pure.

import { z } from "zod"
import type { CatalogPlan } from "../../src/api/doc/catalog.doc.ts"
import { JsonObject } from "../../src/api/doc/shape.doc.ts"
import { Backtest, TestReport } from "../../src/api/doc/tests.doc.ts"
import { plain } from "../../local/show-run.ts"
import { reportLines } from "./test-lines.ts"
import { backtestLine } from "./backtest-lines.ts"

export function gateLines({ gate }: Pick<CatalogPlan, "gate">): readonly string[] {
  const over = (gate.passed_over ?? []).map(({ flow, run, message }) => `! gate passed over ${run} of ${plain(flow)}: ${plain(message)}`)
  const pending = gate.pending ?? []
  const waits = pending.map((flow) => `? gate: ${plain(flow)} waits for an experiment, which an apply begins and waits for`)
  const done = gate.reached.filter((flow) => !pending.includes(flow))
  if (gate.passed) return [...(done.length === 0 ? [] : [`gate passed: ${done.map(plain).join(", ")}`]), ...waits, ...over]
  const broken = brokenIn(gate.report)
  return [...(broken.length === 0 ? ["! gate FAILED"] : broken.flatMap(flowLines)), ...over]
}

interface Broken {
  readonly flow: string
  readonly failed: number
  readonly tests: TestReport | undefined
  readonly runs: Backtest["runs"]
  readonly score: Score | undefined
}

/** The report is of the server's version, which may be newer: what this one cannot read is left out. */
function brokenIn({ flows }: CatalogPlan["gate"]["report"]): readonly Broken[] {
  if (!Array.isArray(flows)) return []
  return flows.flatMap((one) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return []
    const tests = TestReport.safeParse(one["tests"])
    const runs = Backtest.pick({ runs: true }).safeParse(one["backtest"])
    const score = Score.safeParse(one["score"])
    return [
      {
        flow: typeof one["flow"] === "string" ? one["flow"] : "a flow",
        failed: Failed.safeParse(one["tests"]).data?.failed ?? 0,
        tests: tests.success ? tests.data : undefined,
        runs: runs.success ? runs.data.runs.filter(({ why }) => why !== undefined) : [],
        score: score.success ? score.data : undefined,
      },
    ]
  })
}

const Failed = z.object({ failed: z.number() })

/** [V41] */
const Score = z.object({
  decision: z.string(),
  why: z.string().optional(),
  dataset: z.string(),
  experiment: z.string().optional(),
  rows: z.number().optional(),
  same: z.number().optional(),
  tries: z.number().optional(),
  needs: z.number().optional(),
  scorers: z
    .record(z.string(), z.object({ decision: z.string(), difference: z.number(), lower: z.number(), margin: z.number() }))
    .optional(),
})
type Score = z.output<typeof Score>

/** The report of a refused write. */
export const refusedGate = ({ problem }: { readonly problem: Readonly<Record<string, unknown>> }): CatalogPlan["gate"] => {
  const report = JsonObject.safeParse(problem["report"])
  return { passed: false, reached: [], report: report.success ? report.data : {} }
}

/** In points of a hundred. */
const points = (value: number): string => `${value < 0 ? "" : "+"}${Math.round(value * 1_000) / 10}`

function scoreLines({ decision, why, dataset, experiment, rows, same, tries, needs, scorers = {} }: Score): readonly string[] {
  const about = [
    ...(rows === undefined ? [] : [`${rows} rows of ${plain(dataset)}, ${same ?? 0} of them the same`]),
    ...(tries === undefined || tries < 2 ? [] : [`${tries} tries`]),
    ...(experiment === undefined ? [] : [experiment]),
  ]
  return [
    `    ${decision}${why === undefined ? "" : `: ${plain(why)}`}${about.length === 0 ? "" : ` (${about.map(plain).join(", ")})`}`,
    ...Object.entries(scorers).map(
      ([name, { decision: own, difference, lower, margin }]) =>
        `    ${own === "passed" ? "✓" : "✗"} ${plain(name)}: ${points(difference)} points, at worst ${points(lower)}; allowed ${points(-margin)}`,
    ),
    ...(needs === undefined ? [] : [`    a write that loses nothing would pass with ${needs} rows, nine times in ten`]),
  ]
}

function flowLines({ flow, failed, tests, runs, score }: Broken): readonly string[] {
  const cases = (tests?.cases ?? []).filter(({ passed }) => !passed)
  const whys = [...new Set(runs.flatMap(({ why = "" }) => (why === "" ? [] : [why])))]
  return [
    `! gate FAILED: ${plain(flow)}${failed > 0 ? ` (${failed} of its tests fail)` : ""}`,
    ...(score === undefined ? [] : scoreLines(score)),
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
