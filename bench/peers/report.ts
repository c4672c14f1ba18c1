// Renders the report from recorded figures: a page with plots and tables, and the same tables as Markdown. Pure: the same figures give the
// same page.

import { median, short, table } from "../figures.ts"
import { bars, escaped, figure } from "./plot.ts"
import type { Recorded, Sample } from "./recorded.ts"

const PLACES = ["disk", "tmpfs"] as const

interface Plot {
  readonly work: Sample["work"]
  readonly title: string
  readonly unit: string
  readonly of: (sample: Sample) => number | undefined
}

const PLOTS: readonly Plot[] = [
  { work: "w1", title: "W1: 10 durable steps", unit: "runs/s, more is better", of: (s) => s.rate },
  { work: "w1", title: "W1: CPU of the process tree", unit: "ms/run, less is better", of: (s) => s.cpu },
  { work: "w1", title: "W1: 95th percentile of a run", unit: "ms, less is better", of: (s) => s.p95 },
  { work: "w2", title: "W2: one run of 200 steps", unit: "ms/step, less is better", of: (s) => s.ms / 200 },
  { work: "w2", title: "W2: late steps relative to early ones", unit: "ratio, 1 is flat", of: (s) => s.lateEarly },
  { work: "w3", title: "W3: 100 parallel steps and a join", unit: "ms, less is better", of: (s) => s.ms },
  { work: "w3", title: "W3: CPU of the process tree", unit: "ms/run, less is better", of: (s) => s.cpu },
  { work: "w4", title: "W4: three agent steps with a tool each", unit: "ms, less is better", of: (s) => s.ms },
  { work: "w4", title: "W4: CPU of the process tree", unit: "ms/run, less is better", of: (s) => s.cpu },
  { work: "w5", title: "W5: 1,000 starts of 50 keys, one at a time each", unit: "runs/s, more is better", of: (s) => s.rate },
  { work: "w5", title: "W5: CPU of the process tree", unit: "ms/run, less is better", of: (s) => s.cpu },
]

/** Shown first in the table of counts, in this order; the rest follows by name. */
const FIRST = ["fsyncs", "bytes at rest"]

export function page(recorded: Recorded): string {
  const plots = PLACES.filter((place) => recorded.samples.some((s) => s.place === place)).flatMap((place) => [
    `<h2>On ${place}</h2>`,
    `<div class="plots">`,
    ...PLOTS.map((plot) => plotOf(recorded, plot, place)),
    `</div>`,
  ])
  const { load } = recorded
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice beside its peers</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1500px; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 1.5rem; }
svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg .title { font-weight: 600; } svg .unit { font-weight: 400; fill: #66707f; }
svg .own { fill: #1f6feb; } svg .peer { fill: #b4bfcc; } svg .range { stroke: #1c2430; stroke-width: 1.5; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem; border-bottom: 1px solid #dde3ea; text-align: right; } td:first-child, th:first-child { text-align: left; }
</style>
<h1>Sluice beside its peers</h1>
<p>${escaped(recorded.date)} UTC, ${escaped(recorded.machine)}, Node ${escaped(recorded.node)}, commit ${escaped(recorded.commit)}. W1 is ${load.runs} runs
at concurrency ${load.concurrency}, W5 ${load.keyed === 0 ? "was not measured then" : `is ${load.keyed} starts at once`},
the others are ${load.singles} runs one at a time; ${load.rounds} rounds in which all take turns. A bar is the median of the rounds, its
line their range. Other work shares the machine: compare within a plot, not with another day.</p>
<ul>${recorded.contenders.map(({ name, note }) => `<li><b>${escaped(name)}</b>: ${escaped(note)}</li>`).join("")}${recorded.left_out.map((line) => `<li>${escaped(line)}</li>`).join("")}</ul>
${plots.join("\n")}
<h2>Counts</h2>
<p>Per run, on disk. Bytes at rest are the blocks by which the data folder is larger after 20 more runs, once the process has ended: a system
that reserves files of a fixed size shows 0.</p>
${htmlTable(countTable(recorded))}
</html>
`
}

export function tables(recorded: Recorded): string {
  const times = PLACES.map((place) => {
    const rows = recorded.contenders.map(({ name }) => [
      name,
      ...PLOTS.map(({ work, of }) => short(median(seen(recorded, { name, place, work, of })))),
    ])
    return `### On ${place}\n\n${table(["", ...PLOTS.map(({ title, unit }) => `${title.replace(":", "")} (${unit.split(",", 1)[0] ?? ""})`)], rows)}\n`
  })
  const { head, rows } = countTable(recorded)
  return `${times.join("\n")}\n### Counts per run\n\n${table(head, rows)}\n`
}

interface Cells {
  readonly name: string
  readonly place: Sample["place"]
  readonly work: Sample["work"]
  readonly of: Plot["of"]
}

const seen = ({ samples }: Recorded, { name, place, work, of }: Cells): number[] =>
  samples.filter((s) => s.contender === name && s.place === place && s.work === work).flatMap((s) => of(s) ?? [])

function plotOf(recorded: Recorded, { work, title, unit, of }: Plot, place: Sample["place"]): string {
  const rows = recorded.contenders.flatMap(({ name }) => {
    const values = seen(recorded, { name, place, work, of })
    if (values.length === 0) return []
    return [{ name, value: median(values), low: Math.min(...values), high: Math.max(...values), own: name.startsWith("Sluice") }]
  })
  return rows.length === 0 ? "" : bars(title, unit, rows)
}

function countTable({ counts }: Recorded): { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const others = [...new Set(counts.flatMap((count) => Object.keys(count.per_run)))].filter((what) => !FIRST.includes(what)).toSorted()
  const head = [...FIRST, ...others]
  const rows = counts.map(({ contender, work, per_run }) => [
    `${contender}, ${work.toUpperCase()}`,
    ...head.map((what) => (per_run[what] === undefined ? "" : figure(per_run[what]))),
  ])
  return { head: ["", ...head], rows }
}

function htmlTable({ head, rows }: ReturnType<typeof countTable>): string {
  const row = (cells: readonly string[], tag: "th" | "td"): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`
  return `<table>${row(head, "th")}${rows.map((cells) => row(cells, "td")).join("")}</table>`
}
