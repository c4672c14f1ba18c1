// Reads the body of a Responses request [P2, P3, P10, P28]: a message with the messages before it, or answers to the previous run's
// questions. Irrelevant members are ignored; unsupported features are refused by name.

import { defined } from "../../core/defined.ts"
import { isObject } from "../../core/json.ts"
import type { Said } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Fault } from "../../http/middleware/problem.ts"
import { attach, type Attached } from "../shared/attachments.ts"
import { isOn, partsOf, roleOf, textOf } from "../shared/openai-parts.ts"

/** An item that answers an open interaction. */
export type GivenAnswer = { readonly id: string; readonly pointer: string } & (
  | { readonly kind: "approval"; readonly approve: boolean; readonly reason?: string }
  | { readonly kind: "output"; readonly text: string }
)

export interface ResponseBody {
  readonly model: string
  /** undefined: the input has answers and no message. */
  readonly message: { readonly text: string; readonly attached: Attached } | undefined
  readonly before: readonly Said[]
  readonly answers: readonly GivenAnswer[]
  readonly stream: boolean
  readonly background: boolean
  readonly previous: string | undefined
  readonly conversation: string | undefined
  /** Members that the answer repeats. */
  readonly echo: Readonly<Record<string, unknown>>
  readonly sluice: Readonly<Record<string, unknown>>
}

interface Item {
  readonly item: Readonly<Record<string, unknown>>
  readonly pointer: string
}

const fault = (pointer: string, message: string) => err<Fault[]>([{ pointer, message }])

export function readResponse(body: unknown): Result<ResponseBody, Fault[]> {
  if (!isObject(body)) return fault("", "must be a JSON object with `model` and `input`")
  const cannot = unable(body)
  if (cannot) return err([cannot])
  const { model, input, instructions, stream, background, metadata, sluice = {} } = body
  if (typeof model !== "string" || model === "") return fault("/model", "must name a flow")
  if (!isObject(sluice)) return fault("/sluice", "must be an object")
  const place = placeOf(body)
  if (!place.ok) return place
  const items: Item[] | undefined =
    typeof input === "string"
      ? [{ item: { role: "user", content: input }, pointer: "/input" }]
      : Array.isArray(input)
        ? input.map((item: unknown, i) => ({ item: isObject(item) ? item : {}, pointer: `/input/${i}` }))
        : undefined
  if (!items || items.length === 0) return fault("/input", "must be a text or a list of items")
  const last = items.findLastIndex(({ item }) => isMessage(item) && item["role"] === "user")
  // With `previous_response_id` every item is new; otherwise what precedes the last message is history.
  const answers = answersOf(place.value.previous === undefined ? items.slice(last + 1) : items)
  if (!answers.ok) return answers
  const isAnswer = answers.value.length > 0
  const said = items[last]
  if (isAnswer && said && place.value.previous !== undefined)
    return fault(said.pointer, "answers and a message cannot come together: send the answers first, then the message")
  const message = isAnswer || !said ? ok(undefined) : readMessage(said)
  if (!message.ok) return message
  if (!isAnswer && !message.value) return fault("/input", "must have a message of the user")
  return ok({
    model,
    message: message.value,
    before: [...systemOf(instructions), ...historyOf(items.slice(0, Math.max(last, 0)))],
    answers: answers.value,
    stream: isOn(stream),
    background: isOn(background),
    ...place.value,
    echo: {
      model,
      ...(isObject(metadata) ? { metadata } : {}),
      ...(typeof instructions === "string" ? { instructions } : {}),
      ...(isOn(background) ? { background: true } : {}),
      ...defined({
        conversation: place.value.conversation === undefined ? undefined : { id: place.value.conversation },
        previous_response_id: place.value.previous,
      }),
    },
    sluice,
  })
}

/** [P10] */
function unable(body: Readonly<Record<string, unknown>>): Fault | undefined {
  const { n, logprobs, top_logprobs: top, include, modalities, audio, tool_choice: choice, text } = body
  const refused = (name: string, what: string): Fault => ({ pointer: `/${name}`, message: `${what}; leave it out` })
  if (n !== undefined && n !== null && n !== 1) return refused("n", "a flow gives one answer")
  if (logprobs === true) return refused("logprobs", "a flow has no log probabilities")
  if (typeof top === "number" && top > 0) return refused("top_logprobs", "a flow has no log probabilities")
  if (Array.isArray(include) && include.some((name) => typeof name === "string" && name.endsWith(".logprobs")))
    return refused("include", "a flow has no log probabilities")
  if (Array.isArray(modalities) && modalities.some((kind) => kind !== "text")) return refused("modalities", "a flow answers in text")
  if (audio !== undefined && audio !== null) return refused("audio", "a flow answers in text")
  if (choice === "required" || (isObject(choice) && choice["mode"] !== "auto"))
    return refused("tool_choice", "a flow calls its own tools and cannot be made to call one")
  const format: Readonly<Record<string, unknown>> = isObject(text) && isObject(text["format"]) ? text["format"] : {}
  const type = format["type"]
  if (type === "json_schema" || type === "json_object")
    return refused("text", `a flow answers in text or in its own schema, and not as "${type}"`)
  return undefined
}

type Place = Pick<ResponseBody, "previous" | "conversation">

function placeOf({ previous_response_id: previous, conversation }: Readonly<Record<string, unknown>>): Result<Place, Fault[]> {
  const named = isObject(conversation) ? conversation["id"] : conversation
  if (named !== undefined && named !== null && typeof named !== "string")
    return fault("/conversation", "must be the name of a conversation, or an object with its `id`")
  if (previous !== undefined && previous !== null && typeof previous !== "string")
    return fault("/previous_response_id", "must be the id of a response")
  if (typeof previous === "string" && typeof named === "string")
    return fault("/conversation", "cannot come with `previous_response_id`: leave one of them out")
  return ok({ previous: previous ?? undefined, conversation: named ?? undefined })
}

/** Items without a type are messages. */
const isMessage = ({ type }: Item["item"]): boolean => type === undefined || type === "message"

function readMessage({ item, pointer }: Item): Result<ResponseBody["message"], Fault[]> {
  const parts = partsOf(item["content"], pointer === "/input" ? pointer : `${pointer}/content`)
  if (!parts.ok) return parts
  const attached = attach(parts.value.attachments)
  if (!attached.ok) return attached
  const { text } = parts.value
  if (text.trim() === "" && attached.value.lines.length === 0) return fault("/input", "the last message of the user has no text")
  return ok({ text, attached: attached.value })
}

const systemOf = (instructions: unknown): Said[] =>
  typeof instructions === "string" && instructions.trim() !== "" ? [{ role: "system", text: instructions }] : []

const historyOf = (items: readonly Item[]): Said[] =>
  items.flatMap(({ item }): Said[] => {
    const role = isMessage(item) ? roleOf(item["role"]) : undefined
    const text = textOf(item["content"])
    return role === undefined || text.trim() === "" ? [] : [{ role, text }]
  })

/** [P28] */
function answersOf(items: readonly Item[]): Result<GivenAnswer[], Fault[]> {
  const answers: GivenAnswer[] = []
  for (const { item, pointer } of items) {
    const { type, approval_request_id: request, approve, reason, call_id: call, output } = item
    if (type === "mcp_approval_response") {
      if (typeof request !== "string") return fault(`${pointer}/approval_request_id`, "must name the request")
      if (typeof approve !== "boolean") return fault(`${pointer}/approve`, "must be true or false")
      answers.push({ kind: "approval", id: request, approve, pointer, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) })
    } else if (type === "function_call_output") {
      if (typeof call !== "string") return fault(`${pointer}/call_id`, "must name the call")
      answers.push({ kind: "output", id: call, text: textOf(output), pointer })
    }
  }
  return ok(answers)
}
