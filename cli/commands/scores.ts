// `sluice score` and `sluice feedback`: what is said of runs, by scorers and by people [V12, V19, V43].

import type { RunScores, ScoresAsked } from "../../src/api/doc/quality.doc.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { defined } from "../../src/core/defined.ts"
import { plain } from "../../local/show-run.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { valueOf } from "../inputs.ts"
import { usage } from "../program.ts"
import { untilDone } from "../until-done.ts"

/** A judge's run has two minutes. */
const MOST_S = 600

type Asked = ScoresAsked["data"][number]
type Shown = RunScores["scores"][number]
/** What became of one scorer on one run. */
type Row = { readonly run: string } & (Asked | Shown)

export const score: Command = {
  name: "score",
  says: "score ended runs, and show the scores with their reasons",
  words: ["<runs...>"],
  options: [
    { flags: "--scorer <name>", says: "by what, also several times: `sluice scorers` has them", many: true },
    { flags: "--again", says: "although this version of the scorer has scored the run" },
    { flags: "--detach", says: "only ask for the scores" },
  ],
  examples: ["score run_01… --scorer tools-worked", "score run_01… run_02… --scorer helpful --again"],
  async run(context, words, given) {
    const wanted = given.list("scorer")
    if (wanted.length === 0) throw usage("say --scorer NAME: `sluice scorers` has them")
    const client = await context.client()
    const data: Row[] = []
    for (const run of words.list(0)) {
      const before = (await client.scores.of(run)).scores
      const asked = await client.scores.ask(run, wanted, given.flag("again"))
      if (given.flag("detach")) data.push(...asked.data.map((one) => ({ run, ...one })))
      else data.push(...(await scoredBy(client, run, asked.data, before)))
    }
    context.show({ data }, () => data.map(lineOf))
    return data.some((row) => "error" in row || ("state" in row && row.state === "skipped")) ? EXIT.failed : EXIT.ok
  },
}

/** The newest score of each scorer, once those that were asked for are there. */
async function scoredBy(client: Sluice, run: string, asked: readonly Asked[], before: readonly Shown[]): Promise<readonly Row[]> {
  const of = ({ scorer, version }: Asked, all: readonly Shown[]): readonly Shown[] =>
    all.filter((one) => one.scorer === scorer && one.version === version)
  const found = await untilDone(
    async () => {
      const { scores } = await client.scores.of(run)
      const isThere = (one: Asked): boolean => one.state !== "waiting" || of(one, scores).length > of(one, before).length
      return asked.every(isThere) ? scores : undefined
    },
    MOST_S,
    `not all scores of ${run} are there: the day's budget for judges may not cover them`,
  )
  return asked.map((one) => ({ run, ...(one.state === "skipped" ? one : (of(one, found)[0] ?? one)) }))
}

function lineOf(row: Row): string {
  const head = `${row.run}  ${plain(row.scorer)}`
  if ("state" in row) return `${head}  ${row.state}${row.why === undefined ? "" : `: ${WHY[row.why]}`}`
  if (row.error !== undefined) return `${head}  no score: ${plain(row.error)}`
  const level = row.level === undefined ? "" : ` ${plain(row.level)}`
  return `${head}  ${row.score ?? "does not apply"}${level}${row.reason === undefined ? "" : `: ${plain(row.reason)}`}`
}

const WHY = { budget: "today's budget for judges is used up", queue: "too many scorings wait" } as const

const THUMBS = ["up", "down", "none"] as const

export const feedback: Command = {
  name: "feedback",
  says: "say how good a run is, or what its answer should have been",
  words: ["<run>"],
  options: [
    { flags: "--up", says: "thumbs up" },
    { flags: "--down", says: "thumbs down" },
    { flags: "--none", says: "take back what was said before" },
    { flags: "--score <number>", says: "from 0 to 1, the best" },
    { flags: "--comment <text>", says: "in your words" },
    { flags: "--correction <text>", says: "what the answer should have been; the text of an object or a list is JSON" },
    { flags: "--scorer <name>", says: "it is a grade: it answers this scorer's question, and needs --score" },
    { flags: "--user <id>", says: "who says it, by your own name for them" },
  ],
  examples: ["feedback run_01… --up", 'feedback run_01… --down --comment "It was the other order." --user cus_7'],
  async run(context, words, given) {
    const thumbs = THUMBS.filter((one) => given.flag(one))
    if (thumbs.length > 1) throw usage("say one of --up, --down and --none")
    const correction = given.text("correction")
    const said = defined({
      thumb: thumbs[0],
      score: scoreOf(given.text("score")),
      comment: given.text("comment"),
      correction: correction === undefined ? undefined : /^\s*[[{]/.test(correction) ? valueOf(correction) : correction,
    })
    if (Object.keys(said).length === 0) throw usage("say one of --up, --down, --none, --score, --comment and --correction")
    const done = await (
      await context.client()
    ).scores.feedback(words.text(0), { ...said, ...defined({ scorer: given.text("scorer"), user: given.text("user") }) })
    context.show(done, () => [`${done.id} is in the journal of ${done.run}`])
    return EXIT.ok
  },
}

export function scoreOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^(?:0|1|0?\.\d+|1\.0+)$/.test(text)) throw usage(`--score ${text}: write a number from 0 to 1`)
  return value
}
