// What people answered on the page [P23], given to the run that asks. All of it is judged before anything is decided, so an answer that does not
// fit leaves every question open.

import type { Json } from "../../../core/json.ts"
import { insideId } from "../../../core/run/doors/story.ts"
import { checkAnswer } from "../../../core/run/session/interaction.ts"
import type { Answer } from "../../../core/run/signal.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { AnswerBody } from "../../../api/interactions.ts"
import { isRunId, type Call } from "../../middleware/call.ts"
import { lackOf } from "../../middleware/door.ts"
import { invalid, NOT_FOUND, type Fault, type Refusal } from "../../middleware/problem.ts"
import type { FlowTarget } from "../../runs/begin-run.ts"
import { oneAlternative, refusalOf } from "../../runs/interactions.ts"
import { raised } from "./chat-bounds.ts"
import type { Answered, UiAnswer } from "./ui-body.ts"

export interface GoesOn {
  readonly run: string
  readonly after: number
  readonly message: string
}

interface Wish {
  readonly answered: Answered
  readonly target: FlowTarget
  readonly thread: string | undefined
}

/** undefined: the message answers nothing that a run asked. */
export async function answerParts(c: Call, { answered, target, thread }: Wish): Promise<Result<GoesOn, Refusal> | undefined> {
  const named = answered.answers.flatMap((answer) => {
    const inside = insideId(answer.id)
    return inside && isRunId(inside.run) ? [{ ...answer, ...inside }] : []
  })
  const run = named.at(-1)?.run
  if (run === undefined) return undefined
  const port = c.get("tenant").run(run)
  const view = await port.view()
  if (!view || view.flow !== target.flow || (thread !== undefined && view.thread !== thread)) return err(NOT_FOUND)
  const refused = lackOf(c, "interactions:answer")
  if (refused) return err(refused)

  const open = new Map((await port.interactions())?.map((asked) => [asked.id, asked]))
  const faults: Fault[] = []
  const bodies: { readonly id: string; readonly body: Answer }[] = []
  for (const answer of named) {
    // A message keeps what earlier runs of it asked.
    if (answer.run !== run) continue
    const asked = open.get(answer.id)
    // The first decision counts, whoever made it.
    if (asked !== undefined && asked.status !== "pending") continue
    const body = asked && bodyOf(asked, answer)
    if (!asked) faults.push({ pointer: answer.pointer, message: "answers nothing that the run has asked" })
    else if (!body) faults.push({ pointer: answer.pointer, message: `does not answer the question: ${whyNot(asked, answer)}` })
    else bodies.push({ id: asked.id, body })
  }
  if (faults.length > 0) return err(invalid(faults))

  const beyond = bodies.map(({ body }) => raised(c, body)).find((refusal) => refusal !== undefined)
  if (beyond) return err(beyond)

  for (const { id, body } of bodies) {
    const done = await port.answer(id, body, c.get("caller").name)
    if (!done.ok && (done.code === "invalid" || done.code === "definitions_lost")) return err(refusalOf(done))
  }
  const message = answered.message?.startsWith(run) === true ? answered.message : run
  return ok({ run, after: Math.min(answered.seq ?? view.seq, view.seq), message })
}

function bodyOf(asked: InteractionView, answer: UiAnswer): Answer | undefined {
  if ("approved" in answer) {
    const { hash } = asked.payload
    const feedback = answer.reason === undefined ? {} : { feedback: answer.reason }
    const body: Answer = answer.approved
      ? { decision: "approve", ...(typeof hash === "string" ? { hash } : {}), ...feedback }
      : { decision: "reject", ...feedback }
    return checkAnswer(asked, body).ok ? body : undefined
  }
  return formsOf(answer.output).find((body) => checkAnswer(asked, body).ok)
}

/** The body of the API's answer [Q2], or the bare answer. */
function formsOf(output: Json): Answer[] {
  const whole = AnswerBody.safeParse(output)
  return [
    ...(whole.success && oneAlternative(whole.data).length === 0 ? [whole.data as Answer] : []),
    { answer: output },
    ...(typeof output === "string" && output !== "" ? [{ custom: output }] : []),
  ]
}

function whyNot(asked: InteractionView, answer: UiAnswer): string {
  if ("approved" in answer) return "it cannot be approved or rejected"
  const checked = checkAnswer(asked, formsOf(answer.output)[0] ?? {})
  return checked.ok ? "" : checked.error.map(({ path, message }) => (path === "" ? message : `${path} ${message}`)).join("; ")
}
