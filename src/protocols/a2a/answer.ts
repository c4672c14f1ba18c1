// Answers a task's question with a message [P15], by data or text. An answer that does not fit leaves the question open.

import { answerOfText } from "../../core/run/protocol/person-text.ts"
import { giveAnswers, openQuestions, type GivenAnswer } from "../../engine/run/open-questions.ts"
import { outsideId } from "../../core/run/protocol/protocol-state.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { InteractionView, RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import { AnswerBody } from "../../api/run/interactions.ts"
import { a2aFault, badField, badFields, faultOfRefusal, type A2aFault } from "./fault.ts"
import { check } from "../../http/middleware/body.ts"
import type { Call } from "../../http/middleware/call.ts"
import { oneAlternative, pointerOf, refusalOf } from "../../http/runs/answers/interactions.ts"
import type { Taken } from "../shared/take-once.ts"
import type { A2aMessage } from "./message.ts"

export async function answerTask(c: Call, port: RunPort, message: A2aMessage): Promise<Result<Taken, A2aFault>> {
  const view = await port.view()
  const refused = view ? refusalTo(view, message) : a2aFault("TASK_NOT_FOUND", "The task was deleted.")
  if (!view || refused) return err(refused ?? a2aFault("TASK_NOT_FOUND", "The task was deleted."))
  const runs = c.get("tenant").run
  const pending = await openQuestions(runs, view)
  if (pending.length === 0) return err(nothingOpen(view))
  const chosen = message.data.length > 0 ? byData(view.id, message, pending) : byText(message, pending)
  if (!chosen.ok) return chosen
  const done = await giveAnswers(runs, view, chosen.value, { by: c.get("caller").name })
  if (done) {
    const { result } = done
    if (result.code === "invalid") return err(faultOfRefusal(refusalOf(result)))
    return err(a2aFault("UNSUPPORTED_OPERATION", refusalOf(result).detail))
  }
  return ok({ run: view.id, after: view.seq })
}

function refusalTo(view: RunView, { context }: A2aMessage): A2aFault | undefined {
  if (context !== undefined && context !== view.thread) return badField("message.contextId", "is not the context of this task")
  if (view.ended !== undefined)
    return a2aFault("UNSUPPORTED_OPERATION", "The task has ended and takes no messages; send one without taskId to start another.")
  return view.pending === 0 && view.asks === undefined ? nothingOpen(view) : undefined
}

const nothingOpen = ({ id }: RunView): A2aFault =>
  a2aFault("UNSUPPORTED_OPERATION", `The task ${id} has no open question; wait until its state is TASK_STATE_INPUT_REQUIRED.`)

function byData(run: string, { data }: A2aMessage, pending: readonly InteractionView[]): Result<GivenAnswer[], A2aFault> {
  const chosen: GivenAnswer[] = []
  for (const [i, { interaction, ...given }] of data.entries()) {
    const field = `message.parts.data[${i}]`
    const named = typeof interaction === "string" ? interaction : ""
    const asked = pending.find((one) => outsideId(one.run, one.id) === named || (one.run === run && one.id === named))
    if (!asked) return err(badField(`${field}.interaction`, `must name what is open: ${namesOf(pending)}`))
    if (chosen.some((one) => one.asked === asked)) return err(badField(`${field}.interaction`, "is answered twice in this message"))
    const body = check(AnswerBody, given)
    if (!body.ok) return err(faultOfRefusal(body.error))
    const faults = oneAlternative(body.value).map(({ pointer, message }) => ({
      field: field + pointer.replaceAll("/", "."),
      description: message,
    }))
    if (faults.length > 0) return err(badFields(faults))
    const checked = checkAnswer(asked, body.value)
    if (!checked.ok)
      return err(
        badFields(
          checked.error.map(({ path, message }) => ({ field: field + pointerOf(path).replaceAll("/", "."), description: message })),
        ),
      )
    chosen.push({ asked, body: body.value })
  }
  return ok(chosen)
}

function byText({ text }: A2aMessage, pending: readonly InteractionView[]): Result<GivenAnswer[], A2aFault> {
  const [only] = pending
  if (!only || pending.length > 1)
    return err(
      badField("message.parts", `several questions are open, so a text is not enough: send a data part with one of ${namesOf(pending)}`),
    )
  const body = answerOfText(only, text)
  return body ? ok([{ asked: only, body }]) : err(badField("message.parts", `the text does not answer what is open: ${namesOf(pending)}`))
}

const namesOf = (pending: readonly InteractionView[]): string => pending.map(({ run, id }) => outsideId(run, id)).join(", ")
