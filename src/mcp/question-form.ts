// A run's question [Q1] as an MCP elicitation, and the person's reply as an answer [Q2].
//
// A form is flat with plain fields; a question that does not fit (raising a budget, editing arguments) is answered over HTTP.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server"
import { z } from "zod"
import { isObject, type Json, type JsonObject } from "../core/json.ts"
import type { InteractionView } from "../core/run/views/view.ts"
import { setOutValue } from "../core/outside/set-out.ts"

type Field = ElicitRequestFormParams["requestedSchema"]["properties"][string]
export type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">

/** A person must see everything they approve [Q3]; longer requests are answered elsewhere. */
const MAX_LENGTH = 20_000 // limit: characters of a form that an MCP client shows → the question is answered elsewhere

/** undefined: a form cannot ask this. */
export function formOf(asked: InteractionView): Form | undefined {
  const fields = serverForm(asked) ?? answers(asked) ?? decision(asked)
  const message = wordsOf(asked)
  if (!fields || message.length > MAX_LENGTH) return undefined
  return { message, requestedSchema: { type: "object", ...fields } }
}

interface Fields {
  readonly properties: Record<string, Field>
  readonly required: string[]
}

/** [T27] The form of an MCP server that a run calls, passed on. */
function serverForm({ kind, payload }: InteractionView): Fields | undefined {
  const { form } = payload
  if (kind !== "elicitation" || !isObject(form) || !isObject(form["properties"])) return undefined
  const { properties, required } = form
  return {
    // The protocol's own fields: they were read as such when the server asked.
    properties: properties as Record<string, Field>,
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
  }
}

/** The fields for `ask_user` and forks. */
function answers(asked: InteractionView): Fields | undefined {
  const alternative = alternativeWith(asked, "answer")
  const answer = isObject(alternative) ? alternative["answer"] : undefined
  const field = isObject(answer) ? fieldOf(answer) : undefined
  if (!field || (asked.kind !== "ask_user" && asked.kind !== "fork")) return undefined
  const own = alternativeWith(asked, "custom") !== undefined
  return {
    properties: {
      answer: { ...field, title: "Answer" },
      ...(own ? { custom: { type: "string", title: "Other", description: "Your own text, instead of an answer above" } } : {}),
      ...(isObject(alternative?.["notes"]) ? { notes: { type: "string", title: "Notes" } } : {}),
    },
    required: own ? [] : ["answer"],
  }
}

function fieldOf(answer: Record<string, unknown>): Field | undefined {
  if (answer["type"] === "boolean") return { type: "boolean" }
  const options = answer["enum"]
  if (Array.isArray(options)) return allStrings(options) ? { type: "string", enum: options } : undefined
  if (answer["type"] === "array") {
    const items = isObject(answer["items"]) ? answer["items"]["enum"] : undefined
    return Array.isArray(items) && allStrings(items) ? { type: "array", items: { type: "string", enum: items } } : undefined
  }
  return answer["type"] === "string" ? { type: "string" } : undefined
}

const allStrings = (list: readonly unknown[]): list is string[] => list.every((x) => typeof x === "string")

/** The fields for approvals. */
function decision(asked: InteractionView): Fields | undefined {
  const given = forms(asked).flatMap((form) => {
    const { decision: word } = propertiesOf(form)
    return isObject(word) && typeof word["const"] === "string" ? [word["const"]] : []
  })
  const offered = ["approve", "reject"].filter((word) => given.includes(word))
  if (offered.length < 2) return undefined
  return {
    properties: {
      decision: { type: "string", title: "Decision", enum: offered },
      feedback: { type: "string", title: "Feedback", description: "Passed on to the agent" },
    },
    required: ["decision"],
  }
}

function wordsOf({ kind, step, payload }: InteractionView): string {
  if (kind === "ask_user" || kind === "fork") {
    const { question, context } = payload
    return (
      [question, context].flatMap((words) => (typeof words === "string" && words !== "" ? [words] : [])).join("\n\n") ||
      `The step ${step} has a question.`
    )
  }
  if (kind === "elicitation") {
    const { question, url, host, tool } = payload
    const page = url === undefined ? "" : `\n\nOpen this page first: ${said(url)}`
    return `${said(host ?? "A server")} asks for the tool ${said(tool ?? "")}: ${said(question ?? "")}${page}`
  }
  const { tool, args = {}, reason, effect, body } = payload
  const plan = body === undefined ? "" : `\n\nThe plan:\n${said(body)}`
  return `The step ${step} wants to call ${said(tool ?? kind)}. Reason for the approval: ${said(reason ?? "policy")}; effect: ${said(effect ?? "unknown")}.\n\nArguments:\n${said(args)}${plan}`
}

const said = (value: Json): string => (typeof value === "string" ? value : setOutValue(value))

const Reply = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .object({
      answer: z.json().exactOptional(),
      custom: z.string().exactOptional(),
      notes: z.string().exactOptional(),
      decision: z.enum(["approve", "reject"]).exactOptional(),
      feedback: z.string().exactOptional(),
    })
    .nullish(),
})

const Filled = z.object({ action: z.enum(["accept", "decline", "cancel"]), content: z.record(z.string(), z.json()).nullish() })

/** The body that answers the interaction; undefined: not a valid reply to our form. Declining an approval rejects it. */
export function answerOf(asked: InteractionView, reply: unknown): JsonObject | undefined {
  if (serverForm(asked)) {
    const filled = Filled.safeParse(reply)
    if (!filled.success) return undefined
    const { action, content } = filled.data
    return action === "accept" ? { answer: content ?? {} } : action === "decline" ? { decision: "reject" } : { cancelled: true }
  }
  const read = Reply.safeParse(reply)
  if (!read.success) return undefined
  const { action, content } = read.data
  const approval = decision(asked) !== undefined
  if (action !== "accept") return action === "decline" && approval ? { decision: "reject" } : { cancelled: true }
  const { answer, custom, notes, decision: word, feedback } = content ?? {}
  if (approval) {
    const { hash } = asked.payload
    if (word === undefined) return undefined
    return {
      decision: word,
      ...(feedback === undefined || feedback === "" ? {} : { feedback }),
      // [Q3] Approves exactly what was shown, not a later replacement.
      ...(word === "approve" && typeof hash === "string" ? { hash } : {}),
    }
  }
  if (custom !== undefined && custom.trim() !== "") return { custom }
  return answer === undefined ? undefined : { answer, ...(notes === undefined || notes === "" ? {} : { notes }) }
}

const forms = ({ schema }: InteractionView): readonly unknown[] => (Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [schema])
const propertiesOf = (form: unknown): Record<string, unknown> => {
  const properties = isObject(form) ? form["properties"] : undefined
  return isObject(properties) ? properties : {}
}
const alternativeWith = (asked: InteractionView, name: string): Record<string, unknown> | undefined =>
  forms(asked)
    .map(propertiesOf)
    .find((properties) => Object.hasOwn(properties, name))
