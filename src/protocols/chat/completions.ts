// POST /v1/chat/completions [P25]: serves a flow as a model. The message starts a run, or answers the question of its thread's run; the
// response is the run's answer, streamed or whole.

import { defined } from "../../core/defined.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { outsideId } from "../../core/run/protocol/protocol-state.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { openQuestions } from "../../engine/run/open-questions.ts"
import { Thread } from "../../core/run/thread.ts"
import { parseJson } from "../../http/middleware/body.ts"
import type { Call } from "../../http/middleware/call.ts"
import { keyOf } from "../../http/middleware/idempotency.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../../http/middleware/problem.ts"
import { flowAt } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"
import { linkedRun, linksTo, questionsText } from "../shared/ask-again.ts"
import { readChat, type ChatBody } from "./body.ts"
import { getModel, listModels } from "./models.ts"
import { answerCalls } from "./results.ts"
import { framesOf, SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream, type SseLine } from "../../http/middleware/sse.ts"
import { takeMessage } from "../shared/take-message.ts"
import type { Taken } from "../shared/take-once.ts"
import { deadline } from "../../ports/timers.ts"

/** A whole answer is waited for so long. */
const WAIT_MS = 15 * 60_000
const NO_MODEL: Refusal = { ...NOT_FOUND, detail: "There is no flow of this name that this key can see.", more: { as: "model_not_found" } }

export async function chatCompletion(c: Call): Promise<Response> {
  const parsed = parseJson(c)
  if (!parsed.ok) return refuse(c, parsed.error)
  const body = readChat(parsed.value)
  const named = isObject(parsed.value) && typeof parsed.value["model"] === "string" ? parsed.value["model"] : undefined
  const target = named === undefined ? undefined : flowAt(named)
  // [H10] A flow that does not exist is 404, no matter what the rest of the body says.
  if (named !== undefined && (!target || !(await isKnownFlow(c, target)))) return refuse(c, NO_MODEL)
  if (!body.ok || !target) return refuse(c, invalid(body.ok ? [] : body.error))
  const { thread: own, ...start } = body.value.sluice
  const said = own ?? c.req.header("sluice-thread") ?? c.req.header("x-openwebui-chat-id")
  const thread = said === undefined ? undefined : Thread.safeParse(said)
  if (thread && !thread.success)
    return refuse(c, invalid([{ pointer: "/sluice/thread", message: "must have 1 to 256 printable ASCII characters" }]))

  const answered = await answerCalls(c, target.flow, body.value)
  if (answered && "code" in answered) return refuse(c, answered)
  const { text, attached, before, lastAnswer } = body.value
  const taken = answered
    ? ({ ok: true, value: answered } as const)
    : await takeMessage(c, {
        target,
        thread: thread?.data,
        clientId: keyOf(c),
        request: parsed.value,
        about: thread === undefined ? await linkedRun(c, lastAnswer, target.flow) : undefined,
        text,
        attached,
        before,
        start,
        pointer: "/sluice",
      })
  if (!taken.ok) return refuse(c, taken.error === "no_flow" ? NO_MODEL : taken.error)
  return body.value.stream ? streamed(c, body.value, taken.value) : whole(c, body.value, taken.value)
}

interface Ending {
  readonly finish: string
  readonly usage: JsonObject
  readonly status: string
  readonly seq: number
}

type Told =
  | { readonly kind: "content" | "reasoning"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly Json[] }
  | { readonly kind: "failed"; readonly message: string; readonly code: string }
  | ({ readonly kind: "end" } & Ending)

/** What the response tells of the run, until it ended or waits for a person [P5]. */
async function* tell(c: Call, body: ChatBody, taken: Taken, signal: AbortSignal): AsyncGenerator<Told | typeof SILENCE, void> {
  const port = c.get("tenant").run(taken.run)
  if (taken.asksAgain === true) {
    yield* asks(c, body, await openAt(c, taken.run))
    return yield await ending(c, taken.run, body.asksUser ? "tool_calls" : "stop")
  }
  for await (const frame of framesOf(port, taken.after, "chat", signal)) {
    if (frame === SILENCE) {
      yield SILENCE
      continue
    }
    const { error, choices, sluice, usage } = frame.data
    const about: Readonly<Record<string, unknown>> = isObject(sluice) ? sluice : {}
    if (isObject(error)) return yield { kind: "failed", message: textOf(error["message"]), code: textOf(error["code"]) }
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const { delta, finish_reason: finish } = isObject(choice) ? choice : {}
    const { reasoning_content: reasoning, content } = isObject(delta) ? delta : {}
    if (typeof reasoning === "string") yield { kind: "reasoning", text: reasoning }
    // Questions are asked below, with their links; JSON comes with the end.
    const isAsking = "asked" in about
    if (typeof content === "string" && content !== "" && !isAsking && !body.json) yield { kind: "content", text: content }
    if (typeof finish !== "string") continue
    const output = isObject(usage) ? (usage as JsonObject) : {}
    if (!isAsking) {
      if (body.json) yield { kind: "content", text: JSON.stringify(about["output"] ?? null) }
      return yield await ending(c, taken.run, "stop", output)
    }
    const pending = await openAt(c, taken.run)
    yield* asks(c, body, pending)
    return yield await ending(c, taken.run, isCallable(body, pending) ? "tool_calls" : "stop", output)
  }
}

async function openAt(c: Call, run: string): Promise<InteractionView[]> {
  const { run: runs } = c.get("tenant")
  const view = await runs(run).view()
  return view ? openQuestions(runs, view) : []
}

const isCallable = (body: ChatBody, pending: readonly InteractionView[]): boolean =>
  body.asksUser && pending.length > 0 && pending.every(({ kind }) => kind === "ask_user")

async function* asks(c: Call, body: ChatBody, pending: readonly InteractionView[]): AsyncGenerator<Told, void> {
  if (isCallable(body, pending)) {
    const calls = pending.map(({ id, run, payload: { agent: _agent, ...args } }, index) => ({
      index,
      id: outsideId(run, id),
      type: "function",
      function: { name: "ask_user", arguments: JSON.stringify(args) },
    }))
    return yield { kind: "calls", calls }
  }
  yield { kind: "content", text: `${questionsText(pending)}\n\n${await linksTo(c, pending)}` }
}

/** `told`: the frame's own usage, which has no tokens of open calls. */
async function ending(c: Call, run: string, finish: string, told: JsonObject = {}): Promise<Told> {
  const view = await c.get("tenant").run(run).view()
  const total = view?.usage.tokens ?? 0
  const { completion_tokens: output, prompt_tokens_details: prompt, completion_tokens_details: completed } = told
  const completion = Math.min(typeof output === "number" ? output : 0, total)
  const details = defined({ prompt_tokens_details: prompt, completion_tokens_details: completed })
  const usage = { prompt_tokens: total - completion, completion_tokens: completion, total_tokens: total, ...details }
  return { kind: "end", finish, usage, status: view?.status ?? "", seq: view?.seq ?? 0 }
}

interface About {
  readonly id: string
  readonly created: number
  readonly sluice: JsonObject
}

async function aboutOf(c: Call, run: string): Promise<About> {
  const view = await c.get("tenant").run(run).view()
  const created = Math.floor(Date.parse(view?.created ?? "") / 1000) || 0
  return { id: `chatcmpl-${run}`, created, sluice: { run, thread: view?.thread ?? run, status: view?.status ?? "" } }
}

async function streamed(c: Call, body: ChatBody, taken: Taken): Promise<Response> {
  const { id, created, sluice } = await aboutOf(c, taken.run)
  const chunk = (delta: JsonObject, finish: string | null, more: JsonObject = {}): SseLine => ({
    data: {
      id,
      object: "chat.completion.chunk",
      created,
      model: body.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    },
  })
  return eventStream(c, async function* (signal) {
    yield chunk({ role: "assistant", content: "" }, null, { sluice })
    for await (const told of tell(c, body, taken, signal)) {
      if (told === SILENCE) yield SILENCE
      else if (told.kind === "failed")
        yield { data: { error: { message: told.message, type: "run_failed", param: null, code: told.code } } }
      else if (told.kind === "calls") yield chunk({ tool_calls: [...told.calls] }, null)
      else if (told.kind === "end") {
        yield chunk({}, told.finish)
        if (body.includeUsage)
          yield { data: { id, object: "chat.completion.chunk", created, model: body.model, choices: [], usage: told.usage } }
      } else yield chunk(told.kind === "content" ? { content: told.text } : { reasoning_content: told.text }, null)
    }
    yield { data: "[DONE]" }
  })
}

async function whole(c: Call, body: ChatBody, taken: Taken): Promise<Response> {
  const { id, created, sluice } = await aboutOf(c, taken.run)
  const late = deadline(WAIT_MS, "the run goes on")
  const texts = { content: "", reasoning: "" }
  const more: Record<string, Json> = {}
  let end: Ending | undefined
  try {
    for await (const told of tell(c, body, taken, AbortSignal.any([late.signal, c.req.raw.signal]))) {
      if (told === SILENCE) continue
      if (told.kind === "failed") return refuse(c, { code: "run_failed", detail: told.message, more: { run: taken.run, as: told.code } })
      if (told.kind === "calls") more["tool_calls"] = told.calls.map((call) => withoutIndex(call))
      else if (told.kind === "end") end = told
      else texts[told.kind] += told.text
    }
  } finally {
    late.end()
  }
  end ??= {
    ...((await ending(c, taken.run, "length")) as Extract<Told, { kind: "end" }>),
    finish: "length",
  }
  const content =
    end.finish === "length" ? `The run ${taken.run} is still at work after 15 minutes. Read it later, or stream the answer.` : texts.content
  return c.json({
    id,
    object: "chat.completion",
    created,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: end.finish === "tool_calls" ? null : content,
          refusal: null,
          ...(texts.reasoning === "" ? {} : { reasoning_content: texts.reasoning }),
          ...more,
        },
        finish_reason: end.finish,
        logprobs: null,
      },
    ],
    usage: end.usage,
    sluice: { ...sluice, status: end.status },
  })
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const withoutIndex = (call: Json): Json => {
  const { index: _index, ...rest } = call as JsonObject
  return rest
}

export const CHAT_HANDLERS = { createChatCompletion: chatCompletion, listModels, getModel }
