// `sluice scorers` and `sluice probe`: what says how good runs are, and what a judge can be trusted with [V1, V10, V43].

import type { ProbeShown, ScorerRow } from "../../src/api/doc/quality.doc.ts"
import { defined } from "../../src/core/defined.ts"
import { plain } from "../../local/show-run.ts"
import { BUDGET, budgetOf } from "../budget-option.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"
import { untilDone } from "../until-done.ts"
import { FROM_RUNS, fromOf } from "./datasets.ts"

/** A judge's run has two minutes, and ten are under way at a time. */
const MOST_S = 3_600

export const scorers: Command = {
  name: "scorers",
  says: "list what says how good a run is: expectations, code and judges",
  examples: ["scorers", "scorers --json | jq '.data[].name'"],
  async run(context) {
    const data = await (await context.client()).scorers.list().all()
    const width = Math.max(0, ...data.map(({ name }) => name.length))
    context.show({ data }, () => data.map((one) => lineOf(one, width)))
    return EXIT.ok
  },
}

const lineOf = ({ name, kind, version, description }: ScorerRow, width: number): string =>
  `${plain(name).padEnd(width)}  ${kind.padEnd(8)}  ${version}  ${plain(description)}`

export const probe: Command = {
  name: "probe",
  says: "probe a judge: does it read what it judges, and can a run talk it up?",
  words: ["<scorer>"],
  options: [
    ...FROM_RUNS,
    { flags: "--dataset <name>", says: "the runs of this dataset's rows, in place of --last" },
    { flags: "--most <n>", says: "how many runs; 20 by default" },
    { ...BUDGET, says: "what its judges may use: dollars, or tokens=NUMBER" },
  ],
  examples: ["probe helpful --dataset regression --budget 0.50", "probe helpful --last 50 --most 10 --json"],
  async run(context, words, given) {
    const name = words.text(0)
    const [dataset, from] = [given.text("dataset"), fromOf([], given)]
    if ((dataset === undefined) === (from === undefined)) throw usage("say --last N or --dataset NAME")
    const { scorers: client } = await context.client()
    const wish = { dataset: dataset ?? from ?? "", ...defined({ most: given.number("most", 1), budget: budgetOf(given) }) }
    const begun = await client.probe(name, wish)
    context.note(`${begun.runs} runs, each judged in three ways`)
    const trust = await untilDone(
      async () => {
        const found = await client.trust(name)
        return found.probe?.status === "done" ? found : undefined
      },
      MOST_S,
      `the probe of ${name} is not done`,
    )
    const flags = trust.flags.filter((flag) => flag === "ignores_input" || flag === "swayed")
    context.show(trust, () => [...(trust.probe ? [probeLine(trust.probe)] : []), `flags: ${flags.join(", ") || "none"}`])
    return flags.length === 0 ? EXIT.ok : EXIT.failed
  },
}

const mean = (value: number | null): string => (value === null ? "no score" : value.toFixed(2))

const probeLine = ({ runs, plain: asItIs, empty, urged }: ProbeShown): string =>
  `${runs} runs: as they are ${mean(asItIs)}, with nothing in them ${mean(empty)}, and asking for the best level ${mean(urged)}`
