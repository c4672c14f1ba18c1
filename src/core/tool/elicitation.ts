// Reads a question that an MCP server asks while one of its tools runs [T27], and converts the form [Q2] and its answer to and from the
// protocol. The server is not trusted: a person sees who asks, and a page to open is shown as an address and never fetched.

import { canonical, isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { schemaFaults } from "../schema/schema-fault.ts"
import { hiddenIn } from "../text/hidden.ts"

const MAX_MESSAGE = 8_000 // limit: characters of an MCP server's question → the tool fails
const MAX_FIELDS = 50 // limit: fields of its form → the tool fails
const MAX_FORM = 32 * 1024 // limit: characters of its form → the tool fails
const MAX_URL = 2_048 // limit: characters of the page that it asks to open → the tool fails

/** `requested`: the form, an object of plain fields. `url`: a page on which the person must act. */
export type Elicitation =
  | { readonly mode: "form"; readonly message: string; readonly requested: JsonSchema }
  | { readonly mode: "url"; readonly message: string; readonly url: string }

/** `key`: the server's name for the question within one round. */
export interface ServerQuestion {
  readonly key: string
  readonly asked: Elicitation
}

/** The reply in the form of the protocol. */
export interface ElicitReply {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Record<string, Filled>
}
type Filled = string | number | boolean | string[]

export interface AnsweredQuestion extends ServerQuestion {
  /** Counts from 1 the times that the call was given up to ask. */
  readonly round: number
  readonly reply: ElicitReply
}

/** Reads the `params` of `elicitation/create`. An error says why the question cannot be asked. */
export function readElicitation(params: unknown): Result<Elicitation, string> {
  if (!isObject(params)) return err("it has no parameters")
  const { message, requestedSchema, url } = params
  if (typeof message !== "string" || message.trim() === "") return err("it has no message")
  if (message.length > MAX_MESSAGE) return err(`its message is longer than ${MAX_MESSAGE} characters`)
  if (params["mode"] === "url") {
    if (typeof url !== "string" || url.length > MAX_URL || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return err(`its address is not http(s), or longer than ${MAX_URL} characters`)
    return fit({ mode: "url", message, url: new URL(url).href })
  }
  if (!isObject(requestedSchema) || requestedSchema["type"] !== "object") return err("its form is not the schema of an object")
  const requested: JsonSchema = JSON.parse(JSON.stringify(requestedSchema))
  const { properties = {} } = requested
  if (!isObject(properties) || Object.keys(properties).length > MAX_FIELDS) return err(`its form has more than ${MAX_FIELDS} fields`)
  if (canonical(requested).length > MAX_FORM) return err(`its form is longer than ${MAX_FORM / 1024} KiB`)
  const odd = Object.entries(properties).find(([, field]) => !isPlain(field))
  if (odd) return err(`its form has a field that is not a text, a number, a choice or a list of choices: ${JSON.stringify(odd[0])}`)
  const [unusable] = schemaFaults(strict(requested))
  if (unusable) return err(`its form cannot be used: ${unusable.pointer || "it"} ${unusable.message}`)
  return fit({ mode: "form", message, requested })
}

/** What a person reads before they answer holds nothing that they do not see. */
function fit(asked: Elicitation): Result<Elicitation, string> {
  const hidden = hiddenIn(asked.message) ?? hiddenIn(JSON.stringify(asked))
  return hidden === undefined ? ok(asked) : err(`it has an invisible character (${hidden})`)
}

/** The fields that a form of the protocol may have: no objects, and no lists but those of choices. */
function isPlain(field: unknown): boolean {
  if (!isObject(field)) return false
  const { type, items } = field
  if (type === "array") return isObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]))
  return type === "string" || type === "number" || type === "integer" || type === "boolean"
}

/** [Q2] The form as it is checked: nothing that was not asked for, and no default in place of an answer. */
function strict(requested: JsonSchema): JsonObject {
  const { properties = {}, required = [], ...rest } = requested
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, field]): [string, Json] => {
    const { default: _default, ...asked } = isObject(field) ? (field as JsonObject) : {}
    return [name, asked]
  })
  return { ...rest, type: "object", properties: Object.fromEntries(fields), required, additionalProperties: false }
}

const exactly = (name: string, schema: JsonObject): JsonObject => ({
  type: "object",
  properties: { [name]: schema },
  required: [name],
  additionalProperties: false,
})

/** [Q2] The possible answers: the filled form, or that the page is done; a refusal; no answer. */
export function elicitationAnswers(asked: Elicitation): JsonObject {
  const yes = asked.mode === "form" ? exactly("answer", strict(asked.requested)) : exactly("decision", { const: "approve" })
  return { oneOf: [yes, exactly("decision", { const: "reject" }), exactly("cancelled", { const: true })] }
}

/** The reply to a server; `answer` undefined: nobody answered in time. */
export function elicitReply(answer: { readonly answer?: Json; readonly decision?: Json } | undefined): ElicitReply {
  if (answer?.decision === "reject") return { action: "decline" }
  if (answer?.decision === "approve") return { action: "accept" }
  if (!isObject(answer?.answer)) return { action: "cancel" }
  return {
    action: "accept",
    content: Object.fromEntries(Object.entries(answer.answer).filter((one): one is [string, Filled] => isFilled(one[1]))),
  }
}

const isFilled = (value: unknown): value is Filled =>
  ["string", "number", "boolean"].includes(typeof value) || (Array.isArray(value) && value.every((item) => typeof item === "string"))

/** Tells whether a question was asked before: its address may have a new number each time. */
export const sameQuestion = (a: Elicitation, b: Elicitation): boolean => canonical(told(a)) === canonical(told(b))

const told = (asked: Elicitation): Json =>
  asked.mode === "form" ? [asked.message, asked.requested] : [asked.message, new URL(asked.url).host]
