// Applies `resume` of an AG-UI request [P20]: it answers every open question of the thread's newest run, or none.

import { answerOf, type Resume } from "./interrupt.ts"
import { giveAnswers, isAnsweredSo, openQuestions, questionOf } from "../../engine/run/open-questions.ts"
import { isObject } from "../../core/json.ts"
import { outsideId } from "../../core/run/protocol/protocol-state.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Answer } from "../../core/run/signal.ts"
import { asksPeople, type InteractionView, type RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import type { Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { lost, type Refusal } from "../../http/middleware/problem.ts"
import { answersOutside } from "../../http/middleware/stranger.ts"
import { raised } from "../shared/chat-bounds.ts"
import type { NotTaken } from "../shared/take-message.ts"
import type { Taken } from "../shared/take-once.ts"

const PAGE = 500

type InterruptCode = "interrupt_pending" | "interrupt_unknown" | "interrupt_incomplete" | "interrupt_expired" | "invalid_payload"

/** Gives the answers in `resume`; undefined: there are none, and no question is open. */
export async function resumed(
  c: Call,
  resume: readonly Resume[] | undefined,
  newest: RunView | undefined,
): Promise<Result<Taken, NotTaken> | undefined> {
  if (resume === undefined || resume.length === 0) {
    if (!newest || !asksPeople(newest)) return undefined
    return resume === undefined
      ? refused("interrupt_pending", "The run waits for answers: send them as `resume`, one for each interrupt.")
      : refused("interrupt_incomplete", "`resume` must cover every open interrupt.")
  }
  const lacking = lackOf(c, "interactions:answer")
  if (lacking) return err(lacking)
  if (!newest) return refused("interrupt_unknown", "This thread has no run that could be resumed.")
  return answerAll(c, resume, newest)
}

async function answerAll(c: Call, resume: readonly Resume[], view: RunView): Promise<Result<Taken, NotTaken>> {
  const { id: run, seq } = view
  const runs = c.get("tenant").run
  const open = new Map((await openQuestions(runs, view)).map((asked) => [outsideId(asked.run, asked.id), asked]))
  const again = resume.some(({ interruptId }) => open.has(interruptId)) ? undefined : await repeated(c, resume, view)
  if (again) return ok(again)
  for (const { interruptId } of resume) {
    if (open.has(interruptId)) continue
    const known = await questionOf(runs, view, interruptId)
    return known?.status === "expired" ? expired(interruptId) : unknown(interruptId)
  }
  const given = new Map(resume.map((one) => [one.interruptId, one]))
  if (given.size < resume.length) return refused("invalid_payload", "`resume` answers an interrupt twice.")
  const missing = [...open.keys()].filter((id) => !given.has(id))
  if (missing.length > 0)
    return refused("interrupt_incomplete", `\`resume\` must cover every open interrupt; it lacks ${missing.join(", ")}.`)
  const answers: { readonly id: string; readonly asked: InteractionView; readonly body: Answer }[] = []
  for (const [id, asked] of open) {
    const one = given.get(id)
    const body = one && answerOf(asked, one)
    if (!body) return unfit(id)
    // [P9]
    const barred = raised(c, body)
    if (barred) return err(barred)
    answers.push({ id, asked, body })
  }
  const done = await giveAnswers(runs, view, answers, { by: c.get("caller").name, outside: answersOutside(c) })
  if (done) {
    const { given, result } = done
    const id = outsideId(given.asked.run, given.asked.id)
    if (result.code === "invalid" || result.code === "other_hash") return unfit(id)
    if (result.code === "definitions_lost") return err(lost(result.why))
    return result.code === "already_answered" && result.interaction.status === "expired" ? expired(id) : unknown(id)
  }
  return ok({ run, after: seq, answered: answers.map(({ id }) => id) })
}

/** The same answers again, under another `runId`: what followed them, told again. undefined: they are not those of one wait. */
async function repeated(c: Call, resume: readonly Resume[], view: RunView): Promise<Taken | undefined> {
  const runs = c.get("tenant").run
  for (const one of resume) {
    const asked = await questionOf(runs, view, one.interruptId)
    const body = asked && answerOf(asked, one)
    if (!body || !isAnsweredSo(asked, body)) return undefined
  }
  const answered = resume.map(({ interruptId }) => interruptId)
  const port = runs(view.id)
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<RunPort["frames"]>> = await port.frames(after, PAGE, "agui")
    const wait = page?.data.find(({ data }) => isWaitFor(data["outcome"], answered))
    if (wait) return { run: view.id, after: wait.seq, answered }
    after = page?.next ?? null
  }
  return undefined
}

/** Whether this end of an AG-UI run asked for all of these answers. */
function isWaitFor(outcome: unknown, ids: readonly string[]): boolean {
  if (!isObject(outcome) || !Array.isArray(outcome["interrupts"])) return false
  const asked = new Set(outcome["interrupts"].map((one: unknown) => (isObject(one) ? one["id"] : undefined)))
  return asked.size === ids.length && ids.every((id) => asked.has(id))
}

const expired = (id: string) => refused("interrupt_expired", `The time to answer the interrupt ${id} is over.`)
const unknown = (id: string) => refused("interrupt_unknown", `${id} is no open interrupt of this thread.`)
const unfit = (id: string) =>
  refused("invalid_payload", `The payload does not fit the responseSchema of the interrupt ${id}; it is still open.`)

function refused(as: InterruptCode, detail: string): { readonly ok: false; readonly error: Refusal } {
  return err({ code: "invalid", detail, more: { as } })
}
