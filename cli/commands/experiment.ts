// `sluice experiment`: variants of a flow on the same rows [V43]. Exits with 1 if one is worse than the first, for all comparisons together.

import type { ExperimentAsk, VariantBody } from "../../src/api/quality/experiments.ts"
import type { ExperimentRowShown, ExperimentShown } from "../../src/api/doc/experiments.doc.ts"
import { scoreDifference, type RowDone } from "../../src/core/experiment/counted-row.ts"
import { differences, type Difference } from "../../src/core/statistics/differences.ts"
import { defined } from "../../src/core/defined.ts"
import type { z } from "zod"
import { plain } from "../../local/show-run.ts"
import { BUDGET, budgetOf } from "../budget-option.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"
import { untilDone } from "../until-done.ts"
import { FROM_RUNS, fromOf } from "./datasets.ts"

const MOST_S = 3_600
/** Of all comparisons together, outside at either end. */
const SHARE = 0.025

export const experiment: Command = {
  name: "experiment",
  says: "compare variants of a flow on recorded runs or a dataset; every run of it is dry",
  words: ["<flow>"],
  options: [
    ...FROM_RUNS,
    { flags: "--dataset <name>", says: "the rows of this dataset, in place of --last" },
    { flags: "--variant <what>", says: "now, revision=N, draft=NAME or recorded; without a first one, now", many: true },
    { flags: "--scorer <name>", says: "how runs are scored", many: true },
    { flags: "--repeats <n>", says: "trials of each row and variant; 1 by default" },
    { ...BUDGET, says: "what its runs and judges may use: dollars, or tokens=NUMBER" },
    { flags: "--check", says: "only forecast it" },
  ],
  examples: [
    "experiment support --last 100 --variant now --variant draft=short --scorer helpful --budget 4",
    "experiment support --dataset regression --variant revision=41 --scorer tools-worked --check",
  ],
  async run(context, words, given) {
    const { experiments } = await context.client()
    const dataset = given.text("dataset")
    const from = fromOf([], given)
    if ((dataset === undefined) === (from === undefined)) throw usage("say --last N or --dataset NAME")
    const scorers = given.list("scorer")
    if (scorers.length === 0) throw usage("say --scorer NAME: `sluice scorers` has them")
    const said = given.list("variant").map(variantOf)
    const [only] = said
    const variants =
      said.length === 0 ? [{ name: "now" }] : said.length === 1 && only?.recorded === undefined ? [{ name: "now" }, ...said] : said
    const wish: ExperimentAsk = {
      flow: words.text(0),
      dataset: dataset ?? from ?? "",
      variants,
      scorers: [...scorers],
      ...defined({ budget: budgetOf(given), repeats: given.number("repeats", 1) }),
    }
    if (given.flag("check")) {
      const found = await experiments.check(wish)
      const { rows, looked, same, trials, typical } = found
      context.show(found, () => [
        `${rows} rows; of ${looked} looked at, ${same} are the same: about ${trials} trials of ${typical.tokens} tokens each`,
      ])
      return EXIT.ok
    }
    const { id } = await experiments.start(wish)
    context.note(`${id} has begun`)
    const found = await untilDone(
      async () => {
        const now = await experiments.get(id)
        return now.status === "running" ? undefined : now
      },
      MOST_S,
      `the experiment ${id} is not done`,
    )
    context.show(found, () => linesOf(found))
    return found.status === "done" && !isWorse(found, await experiments.rows(id).all()) ? EXIT.ok : EXIT.failed
  },
}

function variantOf(text: string): z.input<typeof VariantBody> {
  const [kind = "", value = ""] = text.split("=")
  if (kind === "revision" && /^\d+$/.test(value)) return { revision: Number(value) }
  if (kind === "draft" && value !== "") return { draft: value }
  if (text === "recorded") return { recorded: true }
  if (text === "now") return { name: "now" }
  throw usage(`--variant ${text}: write now, revision=N, draft=NAME or recorded`)
}

const percent = (value: number): string => `${value >= 0 ? "+" : ""}${(value * 100).toFixed(1)}`

function linesOf({ id, status, rows, same, left_out, compared = [], variants, flags, usage: { tokens, usd } }: ExperimentShown): string[] {
  const [first] = variants
  const own =
    compared.length > 0 || !first
      ? []
      : Object.entries(first.scores ?? {}).map(([name, { n, mean }]) => `${plain(name)}: ${mean ?? "no score"} over ${n} rows`)
  return [
    `${id}: ${status}, ${rows} rows, ${same} the same, ${left_out.length} left out, ${tokens} tokens${usd === null ? "" : `, $${usd.toFixed(4)}`}`,
    ...own,
    ...compared.flatMap(({ variant, with: other, scores }) =>
      Object.entries(scores).map(([name, { n, difference, interval, better, worse }]) => {
        const between = interval ? ` (${percent(interval[0])} to ${percent(interval[1])})` : ""
        const by = difference === null ? "no rows count" : `${percent(difference)} points${between}`
        return `${plain(name)}: ${plain(variant)} against ${plain(other)}: ${by}, ${better} better, ${worse} worse of ${n}`
      }),
    ),
    ...(flags.length === 0 ? [] : [`flags: ${flags.join(", ")}`]),
  ]
}

/** [V43] At the level 1 - 0.05/m, for m comparisons. */
export function isWorse(found: Pick<ExperimentShown, "compared" | "repeats" | "seed">, shown: readonly ExperimentRowShown[]): boolean {
  const { compared = [], repeats, seed } = found
  const pairs = compared.flatMap((one) => Object.keys(one.scores).map((scorer) => ({ ...one, scorer })))
  const rows = shown.map(doneOf)
  return pairs.some(({ variant, with: first, scorer }) => {
    const values = rows.flatMap((row) => {
      const found = scoreDifference(row, [first, variant], scorer, repeats)
      return "value" in found ? [{ id: row.row, thread: row.thread, value: found.value }] : []
    })
    const { interval } = whole(differences(values, seed, SHARE / pairs.length))
    return interval !== null && interval[1] < 0
  })
}

const doneOf = ({ row, thread, same, trials }: ExperimentRowShown): RowDone => ({
  row,
  ...defined({ thread }),
  same,
  trials: trials.map(({ variant, repeat, state, scores = {} }) => ({
    variant,
    repeat,
    state: state === "succeeded" || state === "failed" ? state : "stopped",
    scores,
    usd: null,
    tokens: 0,
    ms: 0,
  })),
})

function whole(pieces: Generator<number, Difference, undefined>): Difference {
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
  }
}
