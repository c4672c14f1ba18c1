// Questions to people: list them, answer one.

import type { Asked } from "../../src/api/doc/run/interactions.doc.ts"
import type { Answer } from "../../src/api/interactions.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import { defined } from "../../src/core/defined.ts"
import type { Command } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { jsonOf } from "../inputs.ts"
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
  return [`${handleOf(one)}  ${one.kind}  ${where}`, `    ${plain(questionOf(one))}`]
}

/** The argument of `answer`: each run numbers its questions from 1, so the id alone is ambiguous. */
const handleOf = ({ run, id }: Asked): string => (run === null ? id : `${run}/${id}`)

function questionOf({ payload }: Asked): string {
  const { question, tool, args } = payload
  if (typeof question === "string") return question
  return tool === undefined ? JSON.stringify(payload) : `${JSON.stringify(tool)} wants to run: ${JSON.stringify(args ?? {})}`
}

const FEEDBACK = { flags: "--feedback <text>", says: "words that the agent reads" }

export const answer: Command = {
  name: "answer",
  says: "answer a question",
  words: ["<question>", "[answer...]"],
  options: [
    { flags: "--value <json>", says: "an answer that is not a text" },
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
    const body: Answer = given.flag("auto")
      ? { auto: true }
      : { answer: value === undefined ? spoken(words.list(1)) : jsonOf("--value", value) }
    return send(context, words.text(0), () => body)
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
  return send(context, handle, ({ payload }) => {
    const hash = payload["hash"]
    return { decision, ...(typeof hash === "string" && decision === "approve" ? { hash } : {}), ...defined({ feedback }) }
  })
}

async function send(context: Context, handle: string, bodyOf: (asked: Asked) => Answer): Promise<number> {
  const client = await context.client()
  const found = await find(client, handle)
  const body = bodyOf(found)
  const done =
    found.run === null
      ? await client.interactions.answerQuestion(found.id, body)
      : await client.interactions.answer(found.run, found.id, body)
  context.show(done, () => [done.status])
  return EXIT.ok
}

async function find(client: Sluice, handle: string): Promise<Asked> {
  for await (const one of client.interactions.list()) if (handleOf(one) === handle) return one
  throw new Trouble(`"${handle}" is not in the inbox: it is already answered, or does not exist (sluice inbox)`, EXIT.failed)
}

function spoken(words: readonly string[]): string {
  if (words.length === 0) throw usage("give the answer: a text, --value JSON, --auto, --approve or --reject")
  return words.join(" ")
}
