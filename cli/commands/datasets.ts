// `sluice datasets`: named sets of rows for one flow, which experiments run it on [V28, V43].

import type { RunsFrom } from "../../src/api/quality/datasets.ts"
import { defined } from "../../src/core/defined.ts"
import { plain } from "../../local/show-run.ts"
import type { Command, GivenOptions, Option } from "../command.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"
import type { RowsRead } from "../rows-file.ts"

export const FROM_RUNS: readonly Option[] = [
  { flags: "--last <n>", says: "the newest ended runs of the flow, this many" },
  { flags: "--status <status>", says: "with --last: only runs with this status", choices: ["succeeded", "failed"] },
  { flags: "--tag <tag>", says: "with --last: only runs with this tag" },
  { flags: "--since <time>", says: "with --last: only runs created since" },
  { flags: "--feedback <what>", says: "with --last: only runs that people judged so", choices: ["up", "down", "corrected"] },
]

const NO_ROWS = "name runs, or say --last N or --file ROWS.jsonl"

export const datasets: readonly Command[] = [
  {
    name: "datasets list",
    group: "rows that experiments run a flow on",
    says: "list datasets",
    examples: ["datasets list"],
    async run(context) {
      const data = await (await context.client()).datasets.list().all()
      const lines = data.map(({ name, flow, rows }) => `${plain(name)}  ${plain(flow)}  ${rows} rows`)
      context.show({ data }, () => (lines.length === 0 ? ["no datasets"] : lines))
      return EXIT.ok
    },
  },
  {
    name: "datasets show",
    says: "show a dataset and its rows",
    words: ["<name>"],
    examples: ["datasets show regression", "datasets show regression --json"],
    async run(context, words) {
      const { datasets: client } = await context.client()
      const name = words.text(0)
      const dataset = await client.get(name)
      const rows = await client.rows(name).all()
      context.show({ ...dataset, data: rows }, () => [
        `${plain(dataset.name)}: ${dataset.rows} rows for ${plain(dataset.flow)}, ${dataset.hash.slice(0, 12)}`,
        ...rows.map(({ id, name: named, task = "" }) => `${id}  ${plain((named ?? task).slice(0, 80))}`),
      ])
      return EXIT.ok
    },
  },
  {
    name: "datasets put",
    says: "make a dataset for a flow, or change its description",
    words: ["<name>", "<flow>"],
    options: [{ flags: "--description <text>", says: "what it is for" }],
    examples: ['datasets put regression support --description "what went wrong once"'],
    async run(context, words, given) {
      const wish = { flow: words.text(1), ...defined({ description: given.text("description") }) }
      const dataset = await (await context.client()).datasets.put(words.text(0), wish)
      context.show(dataset, () => [`${plain(dataset.name)}: ${dataset.rows} rows for ${plain(dataset.flow)}`])
      return EXIT.ok
    },
  },
  {
    name: "datasets add",
    says: "add rows: of runs, or of a file",
    words: ["<name>", "[runs...]"],
    options: [
      ...FROM_RUNS,
      { flags: "--expect <what>", says: "what a row expects of its run", choices: ["output", "course"] },
      { flags: "--file <path>", says: "JSON Lines of rows or of OpenAI evals, or a promptfoo configuration" },
      { flags: "--expected <member>", says: "with evals: the member of an item that has the reference answer" },
    ],
    examples: [
      "datasets add regression run_01…",
      "datasets add regression --last 100 --feedback down",
      "datasets add regression --file rows.jsonl",
    ],
    async run(context, words, given) {
      const { datasets: client, flows } = await context.client()
      const file = given.text("file")
      const from = fromOf(words.list(1), given)
      if ((file === undefined) === (from === undefined)) throw usage(NO_ROWS)
      let read: RowsRead | undefined
      if (file !== undefined) {
        const { start } = await flows.graph((await client.get(words.text(0))).flow)
        // What reads files of others is loaded for them alone.
        const { rowsIn } = await import("../rows-file.ts")
        read = await rowsIn(context, file, { inputs: new Set(Object.keys(start.inputs)), expected: given.text("expected") })
        if (read.rows.length === 0) throw usage(`${file} has no rows`)
      }
      const wish = read ? { rows: read.rows } : { from: { ...from, ...defined({ expect: given.text("expect") as "output" | undefined }) } }
      const done = await client.add(words.text(0), wish)
      for (const { at, why } of read?.left_out ?? []) context.note(`left out: ${plain(at)}: ${plain(why)}`)
      context.show(done, () => [
        `${done.added} added, ${done.known} known, ${done.left_out.length} left out`,
        ...done.left_out.map(({ run, why }) => `${run}: ${plain(why)}`),
      ])
      return EXIT.ok
    },
  },
  {
    name: "datasets delete",
    says: "delete a dataset, or one row of it",
    words: ["<name>", "[row]"],
    examples: ["datasets delete regression", "datasets delete regression row_0123…"],
    async run(context, words) {
      const { datasets: client } = await context.client()
      const [name, row] = [words.text(0), words.list(1)[0]]
      await (row === undefined ? client.remove(name) : client.removeRow(name, row))
      context.show({ deleted: row ?? name }, () => [`deleted ${plain(row ?? name)}`])
      return EXIT.ok
    },
  },
]

/** undefined: neither runs nor a number of them are said. */
export function fromOf(runs: readonly string[], given: GivenOptions): RunsFrom | undefined {
  const last = given.text("last")
  if (runs.length > 0) return { runs: [...runs] }
  if (last === undefined) return undefined
  if (!/^\d{1,4}$/.test(last)) throw usage("--last is a number of runs")
  return {
    last: Number(last),
    ...defined({
      status: given.text("status") as "succeeded" | undefined,
      tag: given.text("tag"),
      since: given.text("since"),
      feedback: given.text("feedback") as "up" | undefined,
    }),
  }
}
