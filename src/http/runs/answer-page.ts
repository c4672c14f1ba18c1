// The page of an answer link [Q3]: plain HTML without a script. What it shows comes from a model, so it is text and never markup, and
// characters that a reader would not see are shown by their names. It offers every answer that the link gives, and reads its own form.

import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { exactJson } from "../../core/outside/exact-json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { surface } from "../middleware/body.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import { aboutOf, type AnswerContext } from "./answer-about.ts"
import { askerOf, fieldsOf, filledIn } from "./answer-fields.ts"
import { attribute, shown, visibleJson } from "./page-text.ts"
import { setOutValue } from "../../core/outside/set-out.ts"

/** Light and dark by the reader's choice, one column from 320 px. */
export const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d4d4d8,#3f3f46);--soft:light-dark(#f4f4f5,#27272a);--dim:light-dark(#52525b,#a1a1aa)}*{box-sizing:border-box}body{font:16px/1.5 system-ui;max-width:40rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}h1{font-size:1.3rem;white-space:pre-wrap}pre{background:var(--soft);padding:.8rem;overflow:auto;max-height:30rem;white-space:pre-wrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .8rem;margin:1rem 0}dt{color:var(--dim)}dd{margin:0;white-space:pre-wrap}button{font:inherit;padding:.5rem 1rem;margin:.2rem .4rem .2rem 0;max-width:100%;border:1px solid var(--line);border-radius:.4rem;background:var(--soft);color:inherit}button.default{font-weight:600;border-color:currentColor}label{display:block;padding:.2rem 0}input[type=text],input[type=number],select,textarea{font:inherit;width:100%;padding:.5rem;border:1px solid var(--line);border-radius:.4rem}textarea.code{font-family:ui-monospace,monospace;min-height:8rem}small{color:var(--dim)}mark{background:#fde68a;color:#7c2d12;padding:0 .2em;border-radius:.2em;font:.85em ui-monospace,monospace}`

/** The status alone when there is nothing left to answer: the link may lie in a mailbox for days. */
export function answerPage(i: InteractionView, context: AnswerContext = {}): string {
  const body =
    i.status === "pending"
      ? `<h1>${shown(questionOf(i))}</h1>${detailsOf(i)}${aboutOf(i, context)}${formOf(i)}<p><small>Run ${shown(i.run)}, step ${shown(i.step)}, asked ${shown(i.created)}${i.risk ? `, risk ${shown(i.risk)}` : ""}</small></p>`
      : `<h1>This question is ${i.status}.</h1>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sluice asks</title>
<style>${STYLE}</style>
${body}</html>`
}

function questionOf({ kind, step, payload }: InteractionView): string {
  if (typeof payload["question"] === "string") return payload["question"]
  if (kind === "budget") return `Step ${step} has used up its budget`
  if (kind === "effects") return "The run is done. Which of its kept calls are to be carried out?"
  return `Step ${step} wants to run ${textOf(payload["tool"]) || kind}`
}

/** What the person decides about, whole. */
function detailsOf(i: InteractionView): string {
  const { kind, payload } = i
  const { limit, spent, reserved, needed } = payload
  switch (kind) {
    case "approval.tool":
    case "approval.plan":
      return `<pre>${shown(setOutValue(payload["body"] ?? payload["args"]))}</pre>`
    case "effects":
      return `<pre>${shown(setOutValue(payload["effects"]))}</pre>`
    case "budget":
      return `<pre>${shown(JSON.stringify({ limit, spent, reserved, needed }, null, 2))}</pre>`
    case "elicitation":
      return askerOf(i)
    case "ask_user":
    case "fork":
      return ""
  }
}

function formOf(i: InteractionView): string {
  const { payload } = i
  const takes = formsOf(i)
  const parts: string[] = []
  if (i.kind === "approval.tool" || i.kind === "approval.plan") {
    parts.push(`<input type="hidden" name="hash" value="${attribute(textOf(payload["hash"]))}">`)
    parts.push(`<p><input type="text" name="feedback" aria-label="Feedback" placeholder="Feedback for the agent (optional)"></p>`)
    parts.push(button("decision", "approve", "Approve"), button("decision", "reject", "Reject"))
    if (takes.some(({ decision }) => isObject(decision) && decision["const"] === "edit"))
      parts.push(
        `<p><textarea class="code" name="args" aria-label="Other arguments">${attribute(visibleJson(payload["args"] ?? {}))}</textarea></p>`,
        button("decision", "edit", "Run with these arguments"),
      )
  } else if (i.kind === "budget") {
    parts.push(button("answer", '"stop"', "Stop the run"))
    const units = takes.flatMap(({ answer }) => Object.keys(propertiesOf(propertiesOf(answer ?? null)["raise"] ?? null)))
    for (const unit of units)
      parts.push(`<p><label>New limit, ${shown(unit)} <input type="number" step="any" name="raise.${attribute(unit)}"></label></p>`)
    if (units.length > 0) parts.push(button("raise", "1", "Raise the limit"))
  } else if (i.kind === "elicitation") {
    if (payload["mode"] === "form") parts.push(...fieldsOf(i), button("fill", "1", "Answer"))
    else parts.push(button("decision", "approve", "I have done it"))
    parts.push(button("decision", "reject", "Refuse"), button("cancelled", "1", "Decline to answer"))
  } else if (i.kind === "effects") {
    parts.push(button("answer", '{"commit":"all"}', "Carry out all"), button("answer", '{"commit":[]}', "Discard all"))
  } else parts.push(...answersOf(i, takes))
  return `<form method="post">${parts.join("")}</form>`
}

function answersOf({ payload, default: assumed }: InteractionView, takes: readonly JsonObject[]): string[] {
  const labels = (Array.isArray(payload["options"]) ? payload["options"] : []).map((o) => textOf(isObject(o) ? o["label"] : o))
  const given = assumed ?? payload["defaultValue"]
  const chosen = new Set([given ?? []].flat())
  const isMany = labels.length > 0 && payload["multiSelect"] === true
  const parts: string[] = []
  if (isMany)
    for (const label of labels) {
      const checked = chosen.has(label) ? " checked" : ""
      parts.push(`<label><input type="checkbox" name="choice" value="${attribute(label)}"${checked}> ${shown(label)}</label>`)
    }
  const isText = payload["type"] !== "confirm" && labels.length === 0
  if (isText) parts.push(textArea("text", "Your answer", typeof given === "string" ? given : ""))
  if (takes.some((form) => "notes" in form)) parts.push(textArea("notes", "Notes for the agent (optional)"))
  if (payload["type"] === "confirm")
    parts.push(button("answer", "true", "Yes", chosen.has(true)), button("answer", "false", "No", chosen.has(false)))
  else if (isMany) parts.push(button("choose", "1", "Answer"))
  else if (isText) parts.push(button("answer", "text", "Answer"))
  else for (const label of labels) parts.push(button("answer", JSON.stringify(label), label, chosen.has(label)))
  if (takes.some((form) => "custom" in form)) parts.push(textField("other", "Another answer"), button("custom", "1", "Answer that"))
  if (takes.some((form) => "auto" in form)) parts.push(button("auto", "1", "Let the agent decide"))
  if (takes.some((form) => "cancelled" in form)) parts.push(button("cancelled", "1", "Decline to answer"))
  return parts
}

/** Reads the button that was pressed, and the fields that belong to it. */
export function fromForm(text: string): Result<Answer, Refusal> {
  const form = new URLSearchParams(text)
  const [decision, feedback, hash] = [form.get("decision"), form.get("feedback") ?? "", form.get("hash")]
  if (decision === "approve" || decision === "reject" || decision === "edit") {
    const said = {
      decision,
      ...(decision === "reject" || hash === null ? {} : { hash }),
      ...(feedback === "" ? {} : { feedback }),
    } as const
    if (decision !== "edit") return ok(said)
    const args = parsed(form.get("args") ?? "")
    return isObject(args) ? ok({ ...said, args: args as JsonObject }) : err(NO_ARGS)
  }
  if (form.has("auto")) return ok({ auto: true })
  if (form.has("cancelled")) return ok({ cancelled: true })
  if (form.has("fill")) return ok({ answer: filledIn(form) })
  if (form.has("custom")) return ok({ custom: form.get("other") ?? "" })
  const notes = form.get("notes") ?? ""
  const noted = notes === "" ? {} : { notes }
  if (form.has("choose")) return ok({ answer: form.getAll("choice"), ...noted })
  if (form.has("raise")) return ok({ answer: { raise: raisesOf(form) } })
  const answer = form.get("answer")
  if (form.has("text") && (answer === null || answer === "text")) return ok({ answer: form.get("text") ?? "", ...noted })
  return ok(answer === null ? {} : { answer: parsed(answer), ...noted })
}

const NO_ARGS = invalid([{ pointer: "/args", message: "must be a JSON object: the arguments to run instead" }])

const raisesOf = (form: URLSearchParams): JsonObject =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => (name.startsWith("raise.") && value !== "" ? [[name.slice("raise.".length), Number(value)]] : [])),
  )

function parsed(text: string): Json {
  try {
    const value = exactJson(text) as Json
    return surface(value) === undefined ? value : text
  } catch {
    return text
  }
}

/** The properties of each form that an answer may have. */
const formsOf = ({ schema }: InteractionView): readonly JsonObject[] =>
  (Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [schema]).map(propertiesOf)

export const propertiesOf = (schema: Json): JsonObject => {
  const properties = isObject(schema) ? schema["properties"] : undefined
  return isObject(properties) ? (properties as JsonObject) : {}
}

const button = (name: string, value: string, label: string, isDefault = false): string =>
  `<button name="${name}" value="${attribute(value)}"${isDefault ? ' class="default"' : ""}>${shown(label)}</button>`

/** HTML drops a line feed at the beginning of its text. */
const textArea = (name: string, label: string, text = ""): string =>
  `<p><textarea name="${name}" rows="2" aria-label="${label}" placeholder="${label}">\n${attribute(text)}</textarea></p>`

const textField = (name: string, label: string): string =>
  `<p><input type="text" name="${name}" aria-label="${label}" placeholder="${label}"></p>`

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))
