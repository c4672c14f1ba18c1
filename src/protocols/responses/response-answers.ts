// Applies the answers in the input of a Responses request [P28]: approvals and results of questions, checked like any answer. If one does
// not fit, none is used.

import { giveAnswers as giveAll, isAnsweredSo, questionOf, runAbove } from "../../engine/run/open-questions.ts"
import { insideId } from "../../core/run/protocol/protocol-state.ts"
import { answerTo } from "../../core/run/question/answer.ts"
import { isApproval } from "../../core/run/question/question.ts"
import { checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { invalid, lost, type Refusal } from "../../http/middleware/problem.ts"
import { answerOfOutput } from "../shared/output-answer.ts"
import type { GivenAnswer } from "./response-body.ts"
import type { Wanted } from "./response-reader.ts"

export interface Previous {
  readonly run: string
  readonly number: number
}

export interface Goes {
  readonly run: string
  /** The response that the answers belong to. */
  readonly wanted: Wanted
}

interface Fitting {
  readonly given: GivenAnswer
  readonly asked: InteractionView
  readonly body: Answer
}

const fault = (pointer: string, message: string) => err<Refusal>(invalid([{ pointer, message }]))

export async function giveAnswers(
  c: Call,
  flow: string,
  answers: readonly GivenAnswer[],
  previous: Previous | undefined,
): Promise<Result<Goes, Refusal>> {
  const refused = lackOf(c, "interactions:answer")
  if (refused) return err(refused)
  const runs = c.get("tenant").run
  const named = previous?.run ?? insideId(answers[0]?.id ?? "")?.run ?? ""
  const view = previous === undefined ? await runAbove(runs, named, (one) => one.flow === flow) : await runs(previous.run).view()
  if (!view || view.flow !== flow) return fault(answers[0]?.pointer ?? "/input", "names no question of a run of this flow")
  const { id: run } = view
  const fitting: Fitting[] = []
  for (const given of answers) {
    const asked = await questionOf(runs, view, given.id)
    if (!asked) return fault(given.pointer, "names no question of the response before it")
    const body = bodyOf(given, asked)
    if (!body) return fault(given.pointer, "does not answer its question, which is still open")
    if (asked.status !== "pending" && !isAnsweredSo(asked, body)) return fault(given.pointer, `its question is ${asked.status} already`)
    fitting.push({ given, asked, body })
  }
  const open = fitting.filter(({ asked }) => asked.status === "pending")
  // The same answers again: the same response again.
  if (open.length === 0) return ok({ run, wanted: previous ? { number: previous.number + 1 } : "last" })
  const done = await giveAll(runs, view, open, { by: c.get("caller").name })
  if (done) {
    if (done.result.code === "definitions_lost") return err(lost(done.result.why))
    const pointer = open.find((one) => one.asked === done.given.asked)?.given.pointer ?? "/input"
    return fault(pointer, "does not answer its question: it may have been decided just now")
  }
  return ok({ run, wanted: "last" })
}

/** undefined: it does not fit. */
function bodyOf(given: GivenAnswer, asked: InteractionView): Answer | undefined {
  if (given.kind === "output") return isApproval(asked) ? undefined : answerOfOutput(asked, given.text)
  if (!isApproval(asked)) return undefined
  const { body } = given.approve ? answerTo(asked, "approve") : answerTo(asked, "reject", { feedback: given.reason })
  return checkAnswer(asked, body).ok ? body : undefined
}
