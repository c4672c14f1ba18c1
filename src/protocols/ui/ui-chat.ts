// POST /v1/flows/{flow}/chat [P22, P23], GET and DELETE …/chat/{chat}/stream [P24]: serves a flow to the AI SDK's `useChat`. The last user
// message starts a run or answers its question; parts of the last assistant message answer too, and that message is continued.

import { outsideId } from "../../core/run/protocol/protocol-state.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { Thread } from "../../core/run/thread.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { parseJson } from "../../http/middleware/body.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../../http/middleware/problem.ts"
import { openQuestions } from "../../engine/run/open-questions.ts"
import { flowAt, type FlowTarget } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"
import { takeMessage } from "../shared/take-message.ts"
import { shownRefusal, strangeThread } from "../shared/chat-bounds.ts"
import { makeChatToken } from "./chat-token.ts"
import { answerParts } from "./ui-answers.ts"
import { readUi } from "./ui-body.ts"
import { keepPlace, placeOf, type UiPlace } from "./ui-place.ts"
import { uiStream } from "./ui-stream.ts"

export async function chat(c: Call): Promise<Response> {
  const target = await existing(c)
  if (!target) return refuse(c, NOT_FOUND)
  const parsed = parseJson(c)
  if (!parsed.ok) return refuse(c, parsed.error)
  const body = readUi(parsed.value)
  if (!body.ok) return refuse(c, invalid(body.error))
  const { chat: named, answered, isRegenerated, messageId, sluice, ...message } = body.value
  const { thread: own, ...start } = sluice
  // A page that names no chat means that of its token.
  const said = named ?? own ?? c.get("caller").chat?.thread
  const thread = said === undefined ? undefined : Thread.safeParse(said)
  if (thread && !thread.success)
    return refuse(
      c,
      invalid([{ pointer: named === undefined ? "/sluice/thread" : "/id", message: "must have 1 to 256 printable ASCII characters" }]),
    )
  const strange = strangeThread(c, thread?.data)
  if (strange) return refuse(c, strange)

  const goesOn = answered && (await answerParts(c, { answered, target, thread: thread?.data }))
  if (goesOn) return goesOn.ok ? uiStream(c, goesOn.value) : refuse(c, goesOn.error)
  if (message.text.trim() === "" && message.attached.lines.length === 0)
    return refuse(c, invalid([{ pointer: "/messages", message: "must have a message of the user" }]))
  const taken = await takeMessage(c, {
    ...message,
    target,
    thread: thread?.data,
    // Another answer is another run.
    clientId: isRegenerated ? undefined : messageId,
    decides: !isRegenerated,
    start,
    pointer: "/sluice",
  })
  if (!taken.ok) return refuse(c, taken.error === "no_flow" ? NOT_FOUND : shownRefusal(c, taken.error))
  const { run, after, asksAgain } = taken.value
  if (after === 0 && asksAgain !== true) return uiStream(c, { run, after, message: run })
  // A message that answers a question, or asks again, is one of its own.
  const port = c.get("tenant").run(run)
  const view = asksAgain === true ? await port.view() : undefined
  const asked = (view ? await openQuestions(c.get("tenant").run, view) : []).map((one) => outsideId(one.run, one.id))
  const id = view ? `${run}-${crypto.randomUUID().slice(0, 8)}` : `${run}-${after}`
  const place: UiPlace = { run, after: view?.seq ?? after, message: id, isOwn: true, ...(view ? { asked } : {}) }
  await keepPlace(port, place)
  return uiStream(c, place)
}

export async function resumeChat(c: Call): Promise<Response> {
  const live = await liveRun(c)
  if (!live.ok) return refuse(c, live.error)
  if (!live.value) return new Response(null, { status: 204 })
  return uiStream(c, await placeOf(c.get("tenant").run(live.value.id), live.value.id))
}

/** Stops the run on request: a disconnect changes nothing [J12]. */
export async function stopChat(c: Call): Promise<Response> {
  const live = await liveRun(c)
  if (!live.ok) return refuse(c, live.error)
  if (live.value) await c.get("tenant").run(live.value.id).cancel(c.get("caller").name)
  return new Response(null, { status: 204 })
}

/** The newest run of the chat in the path; undefined: it has ended, or there is none. */
async function liveRun(c: Call): Promise<Result<RunView | undefined, Refusal>> {
  const target = await existing(c)
  if (!target) return err(NOT_FOUND)
  const thread = param(c, "chat")
  const strange = strangeThread(c, thread)
  if (strange) return err(strange)
  const { runList, run } = c.get("tenant")
  const newest = Thread.safeParse(thread).success ? await runList.newestOf(target.flow, thread) : null
  const view = newest === null ? undefined : await run(newest).view()
  return ok(view?.ended === undefined ? view : undefined)
}

/** [H10] A flow that does not exist is 404, no matter what the body says. */
async function existing(c: Call): Promise<FlowTarget | undefined> {
  const target = flowAt(param(c, "flow"))
  return target && (await isKnownFlow(c, target)) ? target : undefined
}

export const UI_HANDLERS = { chat, resumeChat, stopChat, makeChatToken }
