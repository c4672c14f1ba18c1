// Questions to people: list them, answer one.

import type { Asked } from "../../src/api/doc/run/interactions.doc.ts"
import { isObject, type Json } from "../../src/core/json.ts"
import { answerTo } from "../../src/core/run/question/answer.ts"
import { isApproval, question } from "../../src/core/run/question/question.ts"
import type { Answer } from "../../src/core/run/signal.ts"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { questionLines } from "../../local/question-lines.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { jsonOf, valueOf } from "../inputs.ts"
import { usage } from "../program.ts"

export const inbox: Command = {
  name: "inbox",
  says: "list open questions, oldest first",
  examples: ["inbox", "inbox --json | jq -r '.data[].payload.question'"],
  async run(context) {
    const data = await (await context.client()).interactions.list().all()
    context.show({ data }, () => (data.length === 0 ? ["no open questions"] : data.flatMap(shown)))
    return EXIT.ok
  },
}

function shown(one: Asked): string[] {
  const where = one.run === null ? "outside a run" : `${plain(one.flow)}, step ${plain(one.step)}`
  return [`${handleOf(one)}  ${one.kind}  ${where}`, ...questionLines(one).map((line) => `    ${plain(line)}`)]
}

/** The argument of `answer`: each run numbers its questions from 1, so the id alone is ambiguous. */
const handleOf = ({ run, id }: Asked): string => (run === null ? id : `${run}/${id}`)

/** The commands that answer a question. */
export const answering = (asked: Pick<Asked, "kind">, handle: string): string =>
  isApproval(asked) ? `sluice approve ${handle}, or sluice reject ${handle}` : `sluice answer ${handle} …`

const DECISIONS = ["approve", "reject", "cancel"] as const

const FEEDBACK = { flags: "--feedback <text>", says: "words that the agent reads" }

export const answer: Command = {
  name: "answer",
  says: "answer a question",
  words: ["<question>", "[answer...]"],
  options: [
    { flags: "--value <json>", says: "an answer that is not text" },
    { flags: "--auto", says: "let the agent choose" },
    { flags: "--approve", says: "approve the call" },
    { flags: "--reject", says: "reject the call" },
    FEEDBACK,
  ],
  examples: ["answer run_01…/i1 Answer now", 'answer run_01…/i1 --value \'["a", "b"]\'', "answer run_01…/i1 --auto"],
  async run(context, words, given) {
    if (given.flag("approve")) return decide(context, words.text(0), "approve", given.text("feedback"))
    if (given.flag("reject")) return decide(context, words.text(0), "reject", given.text("feedback"))
    const value = given.text("value")
    if (given.flag("auto")) return send(context, words.text(0), () => ({ auto: true }))
    if (value !== undefined) return send(context, words.text(0), (asked) => valued(asked, jsonOf("--value", value)))
    const text = spoken(words.list(1))
    return send(context, words.text(0), (asked) => worded(asked, text))
  },
}

export const approve: Command = {
  name: "approve",
  says: "approve a call, exactly as it was shown",
  words: ["<question>"],
  options: [FEEDBACK],
  examples: ["approve run_01…/i1"],
  run: (context, words, given) => decide(context, words.text(0), "approve", given.text("feedback")),
}

export const reject: Command = {
  name: "reject",
  says: "reject a call; the agent goes on without it",
  words: ["<question>"],
  options: [FEEDBACK],
  examples: ['reject run_01…/i1 --feedback "Not now."'],
  run: (context, words, given) => decide(context, words.text(0), "reject", given.text("feedback")),
}

function decide(context: Context, handle: string, decision: "approve" | "reject", feedback: string | undefined): Promise<number> {
  return send(context, handle, (asked) => answerTo(asked, decision, { feedback }).body)
}

async function send(context: Context, handle: string, bodyOf: (asked: Asked) => Answer): Promise<number> {
  const client = await context.client()
  const found = await find(client, handle)
  const body = bodyOf(found)
  const sent =
    found.run === null ? client.interactions.answerQuestion(found.id, body) : client.interactions.answer(found.run, found.id, body)
  const done = await sent.catch((error: unknown) => {
    if (!(error instanceof SluiceError) || error.status !== 422 || !("answer" in body) || typeof body.answer !== "string") throw error
    const faults = error.errors.map(({ message }) => message).join("; ")
    throw new Trouble(`${plain(faults || error.message)}: an answer that is no text is given with --value JSON`, EXIT.invalid)
  })
  context.show(done, () => [done.status])
  return EXIT.ok
}

async function find(client: Sluice, handle: string): Promise<Asked> {
  for await (const one of client.interactions.list()) if (handleOf(one) === handle) return one
  throw new Trouble(`"${handle}" is not in the inbox: it is already answered, or does not exist (sluice inbox)`, EXIT.failed)
}

/** A call's approval is a decision, and `--value` is all of it: `{"decision": "approve", "args": {…}}`. */
function valued(asked: Asked, value: Json): Answer {
  return question(asked).ways.approve !== undefined && isObject(value) ? (value as Answer) : { answer: value }
}

/** A call's approval takes its word: `answer run_01…/i1 approve`. */
function worded(asked: Asked, text: string): Answer {
  const { ways } = question(asked)
  if (ways.approve === undefined) return { answer: wanted(asked, text) }
  const words = DECISIONS.filter((verb) => ways[verb] !== undefined)
  const word = words.find((verb) => verb === text)
  if (word === undefined)
    throw new Trouble(
      `this question takes no text: approve it, or reject it with --feedback "…" (sluice approve, sluice reject)`,
      EXIT.invalid,
    )
  return answerTo(asked, word).body
}

/** What is no text as the question wants it: the text of an object or a list is JSON there. */
function wanted(asked: Asked, text: string): Json {
  const { ways } = question(asked)
  const [field] = ways.answer?.fields ?? []
  if (field?.kind === "text" || !/^\s*[[{]/.test(text)) return text
  const value = valueOf(text)
  return typeof value === "object" ? (value as Json) : text
}

function spoken(words: readonly string[]): string {
  if (words.length === 0) throw usage("give the answer: a text, --value JSON, --auto, --approve or --reject")
  return words.join(" ")
}
