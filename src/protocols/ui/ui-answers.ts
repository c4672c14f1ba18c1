// Passes the answers of people on the page [P23] to the run that asks. All of them are judged before anything is decided, so an answer that
// does not fit leaves every question open.

import type { Json } from "../../core/json.ts"
import { giveAnswers, questionOf, runAbove, type GivenAnswer } from "../../engine/run/open-questions.ts"
import { insideId, outsideId } from "../../core/run/protocol/protocol-state.ts"
import { answerTo } from "../../core/run/question/answer.ts"
import { checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { AnswerBody } from "../../api/run/interactions.ts"
import { isRunId, type Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { invalid, NOT_FOUND, type Fault, type Refusal } from "../../http/middleware/problem.ts"
import type { FlowTarget } from "../../http/runs/begin-run.ts"
import { oneAlternative, refusalOf } from "../../http/runs/answers/interactions.ts"
import { answersOutside } from "../../http/middleware/stranger.ts"
import { raised } from "../shared/chat-bounds.ts"
import type { UiAnswers, UiAnswer } from "./ui-body.ts"

export interface GoesOn {
  readonly run: string
  readonly after: number
  readonly message: string
}

interface Wish {
  readonly answered: UiAnswers
  readonly target: FlowTarget
  readonly thread: string | undefined
}

/** Passes on the answers in a message; undefined: it answers no question of a run. */
export async function answerParts(c: Call, { answered, target, thread }: Wish): Promise<Result<GoesOn, Refusal> | undefined> {
  const named = answered.answers.flatMap((answer) => {
    const inside = insideId(answer.id)
    return inside && isRunId(inside.run) ? [{ ...answer, ...inside }] : []
  })
  const last = named.at(-1)?.run
  if (last === undefined) return undefined
  const runs = c.get("tenant").run
  const view = await runAbove(runs, last, (one) => one.flow === target.flow && (thread === undefined || one.thread === thread))
  if (!view) return err(NOT_FOUND)
  const run = view.id
  const refused = lackOf(c, "interactions:answer")
  if (refused) return err(refused)

  const own = new Map((await runs(run).interactions())?.map((asked) => [asked.id, asked]))
  const faults: Fault[] = []
  const bodies: GivenAnswer[] = []
  for (const answer of named) {
    const asked = answer.run === run ? own.get(answer.id) : await questionOf(runs, view, outsideId(answer.run, answer.id))
    // A message keeps what earlier runs of it asked.
    if (answer.run !== run && !asked) continue
    // The first decision counts, whoever made it.
    if (asked !== undefined && asked.status !== "pending") continue
    const body = asked && bodyOf(asked, answer)
    if (!asked) faults.push({ pointer: answer.pointer, message: "answers nothing that the run has asked" })
    else if (!body) faults.push({ pointer: answer.pointer, message: `does not answer the question: ${whyNot(asked, answer)}` })
    else bodies.push({ asked, body })
  }
  if (faults.length > 0) return err(invalid(faults))

  const barred = bodies.map(({ body }) => raised(c, body)).find((refusal) => refusal !== undefined)
  if (barred) return err(barred)

  // The first decision counts: one that another has made meanwhile is left out.
  for (let left: readonly GivenAnswer[] = bodies; left.length > 0;) {
    const done = await giveAnswers(runs, view, left, { by: c.get("caller").name, outside: answersOutside(c) })
    if (!done) break
    if (done.result.code === "invalid" || done.result.code === "definitions_lost") return err(refusalOf(done.result))
    left = left.filter((one) => one !== done.given)
  }
  const message = answered.message?.startsWith(run) === true ? answered.message : run
  return ok({ run, after: Math.min(answered.seq ?? view.seq, view.seq), message })
}

function bodyOf(asked: InteractionView, answer: UiAnswer): Answer | undefined {
  if ("approved" in answer) {
    const { body } = answerTo(asked, answer.approved ? "approve" : "reject", { feedback: answer.reason })
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
