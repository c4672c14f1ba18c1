// `sluice grade`: runs that wait for a person's grade, one after another at a terminal, or one by its id [V21, V43].

import type { GradingEntry } from "../../src/api/doc/quality.doc.ts"
import { defined } from "../../src/core/defined.ts"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { plain } from "../../local/show-run.ts"
import { PLAIN_LEVELS, type Level } from "../../src/core/flow/scorer.ts"
import type { Command, GivenOptions } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"
import { gradingLine, gradingLines } from "../shown/grading-lines.ts"
import { scoreOf } from "./scores.ts"

export const grade: Command = {
  name: "grade",
  says: "grade runs that wait for it: one after another at a terminal, or one by its id",
  words: ["[runs...]"],
  options: [
    { flags: "--scorer <name>", says: "the scorer whose question is answered" },
    { flags: "--flow <flow>", says: "only runs of this flow" },
    { flags: "--list", says: "only list what waits" },
    { flags: "--score <number>", says: "with a run: the grade, for a judge the number of a level" },
    { flags: "--comment <text>", says: "with --score: why" },
    { flags: "--skip", says: "with a run: it need not be graded" },
    { flags: "--add", says: "with runs: they are to be graded" },
    { flags: "--experiment <id>", says: "with --add: the trials of this experiment, in place of runs" },
    { flags: "--most <n>", says: "with --add: at most this many; 100 by default" },
  ],
  examples: ["grade --scorer helpful", "grade run_01… --scorer helpful --score 0.5", "grade --add --experiment exp_01… --scorer helpful"],
  async run(context, words, given) {
    const client = await context.client()
    const runs = words.list(0)
    const scorer = given.text("scorer")
    if (given.flag("add")) return add(context, client, runs, given)
    if (runs.length > 0) return gradeOne(context, client, runs, given)
    const filter = defined({ scorer, flow: given.text("flow") })
    if (context.isTerminal && !given.flag("list")) return queue(context, client, filter)
    const data = await client.scores.grading({ ...filter, brief: !context.isJson }).all()
    context.show({ data }, () => (data.length === 0 ? ["nothing waits for a grade"] : data.map(gradingLine)))
    return EXIT.ok
  },
}

async function add(context: Context, { scores }: Sluice, runs: readonly string[], given: GivenOptions): Promise<number> {
  const [scorer, experiment] = [given.text("scorer"), given.text("experiment")]
  if (scorer === undefined) throw usage("say --scorer NAME: whose question is to be answered")
  if ((experiment === undefined) === (runs.length === 0)) throw usage("name runs, or say --experiment ID")
  const of = experiment === undefined ? { runs: [...runs] } : { experiment }
  const done = await scores.addForGrading({ scorer, ...of, ...defined({ most: given.number("most", 1) }) })
  context.show(done, () => [`${done.added} wait for a grade`])
  return EXIT.ok
}

async function gradeOne(context: Context, { scores }: Sluice, runs: readonly string[], given: GivenOptions): Promise<number> {
  const [run, second] = runs
  const [scorer, score, isSkipped] = [given.text("scorer"), scoreOf(given.text("score")), given.flag("skip")]
  if (run === undefined || second !== undefined) throw usage("one run is graded at a time")
  if (scorer === undefined || isSkipped === (score !== undefined)) throw usage("say --scorer NAME with --score NUMBER or --skip")
  if (score === undefined) {
    await scores.skipGrade(run, scorer)
    context.show({ run, scorer, skipped: true }, () => [`${run} need not be graded`])
    return EXIT.ok
  }
  const done = await scores.feedback(run, { scorer, score, ...defined({ comment: given.text("comment") }) })
  context.show(done, () => [`${done.id} is in the journal of ${done.run}`])
  return EXIT.ok
}

type Filter = { readonly scorer?: string; readonly flow?: string }

/** Runs that somebody else grades meanwhile are asked about all the same: the newest grade counts. */
async function queue(context: Context, client: Sluice, filter: Filter): Promise<number> {
  let done = 0
  for await (const entry of client.scores.grading(filter)) {
    const grade = await gradeOf(context, entry)
    if (grade === "stop") break
    try {
      if (grade === "skip") await client.scores.skipGrade(entry.run, entry.scorer)
      else await client.scores.feedback(entry.run, { scorer: entry.scorer, ...grade })
      done += 1
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      context.line(plain(error.message))
    }
  }
  context.line(done === 0 ? "nothing was graded" : `${done} done`)
  return EXIT.ok
}

async function gradeOf(context: Context, entry: GradingEntry): Promise<"skip" | "stop" | { score: number; comment?: string }> {
  const { isCancel, select, text } = await import("@clack/prompts")
  context.line()
  for (const line of gradingLines(entry)) context.line(line)
  const levels: readonly Level[] = entry.levels ?? PLAIN_LEVELS
  const choice = await select({
    message: `${plain(entry.scorer)}?`,
    options: [
      ...levels.map(({ score, text: says }) => ({ value: String(score), label: `${score}  ${plain(says)}` })),
      { value: "skip", label: "Skip it" },
      { value: "stop", label: "Stop" },
    ],
  })
  if (isCancel(choice) || choice === "stop") return "stop"
  if (choice === "skip") return "skip"
  const comment = await text({ message: "Why?", placeholder: "may stay empty" })
  if (isCancel(comment)) return "stop"
  return { score: Number(choice), ...(comment ? { comment } : {}) }
}
