// Reads results of `ask_user` at the end of a Chat Completions request [P25] as answers to the run that asked. If one does not fit, none is used.

import { isObject } from "../../core/json.ts"
import { insideId, outsideId } from "../../core/run/protocol/protocol-state.ts"
import { asksPeople } from "../../core/run/views/view.ts"
import { giveAnswers, questionOf, runAbove, type GivenAnswer } from "../../engine/run/open-questions.ts"
import type { RunPort } from "../../ports/run.ts"
import { isRunId, type Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { invalid, lost, type Refusal } from "../../http/middleware/problem.ts"
import type { ChatBody } from "./body.ts"
import { answerOfOutput } from "../shared/output-answer.ts"
import type { Taken } from "../shared/take-once.ts"

const PAGE = 500

/** Answers with the results at the end of the messages; undefined: there are none. */
export async function answerCalls(c: Call, flow: string, { results }: ChatBody): Promise<Taken | Refusal | undefined> {
  const calls = results.flatMap(({ id, text }) => {
    const inside = insideId(id)
    return inside && isRunId(inside.run) ? [{ ...inside, text }] : []
  })
  const [first] = calls
  if (!first) return undefined
  const refused = lackOf(c, "interactions:answer")
  if (refused) return refused
  const runs = c.get("tenant").run
  const view = await runAbove(runs, first.run, (one) => one.flow === flow)
  if (!view) return unfit("a result names no question of a run of this flow")
  const answers: GivenAnswer[] = []
  for (const { run, id, text } of calls) {
    const asked = await questionOf(runs, view, outsideId(run, id))
    if (!asked) return unfit(`the result of ${id} names no question of this run`)
    // A client repeats what it has answered before.
    if (asked.status !== "pending") continue
    const body = answerOfOutput(asked, text)
    if (!body) return unfit(`the result of ${id} does not answer its question`)
    answers.push({ asked, body })
  }
  const done = await giveAnswers(runs, view, answers, { by: c.get("caller").name })
  if (done?.result.code === "definitions_lost") return lost(done.result.why)
  if (done) return unfit(`the result of ${done.given.asked.id} does not answer its question: it may have been decided just now`)
  // With a question left open, the run does not move, so nothing would ever come after this event.
  const now = await runs(view.id).view()
  if (now && asksPeople(now)) return { run: now.id, after: now.seq, asksAgain: true }
  return { run: view.id, after: answers.length > 0 ? view.seq : await lastAsked(runs(view.id)) }
}

const unfit = (message: string): Refusal => invalid([{ pointer: "/messages", message }])

/** The event at which the run asked last: what came after it answers whoever repeats the results. */
async function lastAsked(port: RunPort): Promise<number> {
  let found = 0
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<RunPort["frames"]>> = await port.frames(after, PAGE, "chat")
    for (const { seq, data } of page?.data ?? []) if (isObject(data["sluice"]) && "asked" in data["sluice"]) found = seq
    after = page?.next ?? null
  }
  return found
}
