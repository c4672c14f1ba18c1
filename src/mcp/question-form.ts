// Converts a run's question [Q1] to an MCP elicitation, and the person's reply to an answer [Q2]. A form has only simple fields; other
// questions (raising a budget, editing arguments) are answered over HTTP.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server"
import { z } from "zod"
import { isObject, type Json } from "../core/json.ts"
import { answerTo } from "../core/run/question/answer.ts"
import type { QuestionField } from "../core/run/question/fields.ts"
import { question } from "../core/run/question/question.ts"
import type { Answer } from "../core/run/signal.ts"
import type { InteractionView } from "../core/run/views/view.ts"
import { setOutValue } from "../core/outside/set-out.ts"

type Field = ElicitRequestFormParams["requestedSchema"]["properties"][string]
export type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">

/** A person must see everything they approve [Q3]; longer requests are answered elsewhere. */
const MAX_LENGTH = 20_000 // limit: characters of a form that an MCP client shows → the question is answered elsewhere

/** The form of a question; undefined: a form cannot ask it. */
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
  const { answer, custom } = question(asked).ways
  const [value, notes] = answer?.fields ?? []
  const field = value && fieldOf(value)
  if (!field || (asked.kind !== "ask_user" && asked.kind !== "fork")) return undefined
  return {
    properties: {
      answer: { ...field, title: "Answer" },
      ...(custom ? { custom: { type: "string", title: "Other", description: "Your own text, instead of an answer above" } } : {}),
      ...(notes ? { notes: { type: "string", title: "Notes" } } : {}),
    },
    required: custom ? [] : ["answer"],
  }
}

function fieldOf({ kind, options }: QuestionField): Field | undefined {
  const values = options.map(({ value }) => value)
  if (kind === "yes-no") return { type: "boolean" }
  if (kind === "text") return { type: "string" }
  if (!allStrings(values)) return undefined
  if (kind === "choice") return { type: "string", enum: values }
  return kind === "choices" ? { type: "array", items: { type: "string", enum: values } } : undefined
}

const allStrings = (list: readonly unknown[]): list is string[] => list.every((x) => typeof x === "string")

/** The fields for approvals. */
function decision(asked: InteractionView): Fields | undefined {
  const { approve, reject } = question(asked).ways
  if (!approve || !reject) return undefined
  return {
    properties: {
      decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
      feedback: { type: "string", title: "Feedback", description: "Passed on to the agent" },
    },
    required: ["decision"],
  }
}

function wordsOf(asked: InteractionView): string {
  const { kind, step, payload } = asked
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
  const { tool, args = {}, effect, body } = payload
  const plan = body === undefined ? "" : `\n\nThe plan:\n${said(body)}`
  return `The step ${step} wants to call ${said(tool ?? kind)}. ${question(asked).why ?? ""} Effect: ${said(effect ?? "unknown")}.\n\nArguments:\n${said(args)}${plan}`
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
export function answerOf(asked: InteractionView, reply: unknown): Answer | undefined {
  if (serverForm(asked)) {
    const filled = Filled.safeParse(reply)
    if (!filled.success) return undefined
    const { action, content } = filled.data
    if (action !== "accept") return answerTo(asked, action === "decline" ? "reject" : "cancel").body
    return answerTo(asked, "fill", content ?? {}).body
  }
  const read = Reply.safeParse(reply)
  if (!read.success) return undefined
  const { action, content } = read.data
  const approval = decision(asked) !== undefined
  if (action !== "accept") return answerTo(asked, action === "decline" && approval ? "reject" : "cancel").body
  const { answer, custom, notes, decision: word, feedback } = content ?? {}
  if (approval) return word && answerTo(asked, word, { feedback }).body
  if (custom !== undefined && custom.trim() !== "") return answerTo(asked, "custom", { custom }).body
  return answer === undefined ? undefined : answerTo(asked, "answer", { answer, notes }).body
}
