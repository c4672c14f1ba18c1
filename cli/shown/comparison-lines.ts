// Shows where two runs part, for a person. Pure.

import type { Comparison } from "../../src/api/doc/trust.doc.ts"
import { plain } from "../../local/show-run.ts"

export function comparisonLines({ common, definitions, steps, first, output, usage, scores }: Comparison): readonly string[] {
  const width = Math.max(0, ...steps.map(({ step }) => step.length))
  return [
    common === null ? "nothing in common" : `the same up to event ${common.seq}`,
    ...(definitions.length === 0 ? [] : ["", "definitions that differ:"]),
    ...definitions.flatMap(({ path, diff }) => [
      `  ${plain(path)}`,
      ...(diff ?? "").split("\n").flatMap((line) => (line === "" ? [] : [`    ${plain(line)}`])),
    ]),
    "",
    ...steps.map((row) => {
      const mark = row.same ? " " : row.step === first?.step && row.pass === first.pass ? "▸" : "≠"
      const name = `${plain(row.step).padEnd(width)}${row.pass === 1 ? "" : ` pass ${row.pass}`}`
      return `${mark} ${name}  ${row.same ? sideOf(row.a) : `${sideOf(row.a)}  |  ${sideOf(row.b)}`}`
    }),
    ...(output.length === 0 ? [] : ["", "outputs that differ:"]),
    ...output.map(({ pointer, a, b }) => `  ${plain(pointer === "" ? "the whole" : pointer)}: ${shown(a)}  |  ${shown(b)}`),
    "",
    ...scores.map(({ scorer, a, b }) => `${plain(scorer)}: ${a ?? "no score"}  |  ${b ?? "no score"}`),
    `${spent(usage.a)}  |  ${spent(usage.b)}`,
  ]
}

const MOST = 60
const cut = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text)
const shown = (value: unknown): string => cut(plain(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", " "))

function sideOf(side: Comparison["steps"][number]["a"]): string {
  if (side === null) return "not there"
  const branch = side.branch === undefined ? "" : ` → ${plain(side.branch)}`
  return `${plain(side.status)}${branch}${side.summary === "" ? "" : ` ${shown(side.summary)}`}`
}

function spent({ tokens, usd }: Comparison["usage"]["a"]): string {
  return `${tokens} tokens${usd === null ? "" : `, $${usd}`}`
}
