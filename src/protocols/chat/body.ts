// Reads the body of a Chat Completions request [P2, P3, P10]: the last user message and the messages before it. Irrelevant members are
// ignored; unsupported features are refused by name.

import { defined } from "../../core/defined.ts"
import { isObject } from "../../core/json.ts"
import type { Said } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Fault } from "../../http/middleware/problem.ts"
import { attach, type Attached } from "../shared/attachments.ts"
import { isOn, partsOf, roleOf, textOf } from "../shared/openai-parts.ts"

export interface ChatBody {
  readonly model: string
  readonly text: string
  readonly attached: Attached
  readonly before: readonly Said[]
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly json: boolean
  /** The client can ask its user: it declares the function. */
  readonly asksUser: boolean
  /** Results of such calls, from the end of the messages. */
  readonly results: readonly { readonly id: string; readonly text: string }[]
  /** The assistant's last text before the user's message. */
  readonly lastAnswer?: string
  readonly sluice: Readonly<Record<string, unknown>>
}

export function readChat(body: unknown): Result<ChatBody, Fault[]> {
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object with `model` and `messages`" }])
  const cannot = unable(body)
  if (cannot) return err([cannot])
  const { model, messages, stream, stream_options: options, tools, response_format: format, sluice = {} } = body
  if (typeof model !== "string" || model === "") return err([{ pointer: "/model", message: "must name a flow" }])
  if (!Array.isArray(messages) || messages.length === 0) return err([{ pointer: "/messages", message: "must be a list of messages" }])
  if (!isObject(sluice)) return err([{ pointer: "/sluice", message: "must be an object" }])
  const list = messages.map((message: unknown) => (isObject(message) ? message : {}))
  const last = list.findLastIndex(({ role }) => role === "user")
  const parts = last < 0 ? undefined : partsOf(list[last]?.["content"], `/messages/${last}/content`)
  if (!parts) return err([{ pointer: "/messages", message: "must have a message of the user" }])
  if (!parts.ok) return parts
  const attached = attach(parts.value.attachments)
  if (!attached.ok) return attached
  const results = resultsOf(list.slice(last + 1))
  const { text } = parts.value
  if (text.trim() === "" && attached.value.lines.length === 0 && results.length === 0)
    return err([{ pointer: "/messages", message: "the last message of the user has no text" }])
  const before = list.slice(0, last).flatMap((message): Said[] => {
    const role = roleOf(message["role"])
    const said = textOf(message["content"])
    return role === undefined || said.trim() === "" ? [] : [{ role, text: said }]
  })
  const lastAnswer = before.findLast(({ role }) => role === "assistant")?.text
  return ok({
    model,
    text,
    attached: attached.value,
    before,
    stream: isOn(stream),
    includeUsage: isObject(options) && isOn(options["include_usage"]),
    json: isObject(format) && format["type"] === "json_object",
    asksUser:
      Array.isArray(tools) &&
      tools.some((tool: unknown) => isObject(tool) && isObject(tool["function"]) && tool["function"]["name"] === "ask_user"),
    results,
    ...defined({ lastAnswer }),
    sluice,
  })
}

/** [P10] */
function unable({
  n,
  logprobs,
  top_logprobs,
  modalities,
  audio,
  tool_choice: choice,
  function_call: named,
  response_format: format,
}: Readonly<Record<string, unknown>>): Fault | undefined {
  const refused = (name: string, what: string): Fault => ({ pointer: `/${name}`, message: `${what}; leave it out` })
  if (n !== undefined && n !== null && n !== 1) return refused("n", "a flow gives one answer")
  if (logprobs === true) return refused("logprobs", "a flow has no log probabilities")
  if (typeof top_logprobs === "number" && top_logprobs > 0) return refused("top_logprobs", "a flow has no log probabilities")
  if (Array.isArray(modalities) && modalities.some((kind) => kind !== "text")) return refused("modalities", "a flow answers in text")
  if (audio !== undefined && audio !== null) return refused("audio", "a flow answers in text")
  const own = "a flow calls its own tools and cannot be made to call one"
  const allowed = isObject(choice) && isObject(choice["allowed_tools"]) ? choice["allowed_tools"] : {}
  if (choice === "required" || (isObject(choice) && allowed["mode"] !== "auto")) return refused("tool_choice", own)
  if (isObject(named)) return refused("function_call", own)
  if (isObject(format) && format["type"] === "json_schema")
    return refused("response_format", 'a flow answers in its own schema: use "json_object" to get its output')
  return undefined
}

/** [P25] */
const resultsOf = (after: readonly Readonly<Record<string, unknown>>[]): { id: string; text: string }[] =>
  after.flatMap((message) => {
    const { role, tool_call_id: id } = message
    return role === "tool" && typeof id === "string" ? [{ id, text: textOf(message["content"]) }] : []
  })
