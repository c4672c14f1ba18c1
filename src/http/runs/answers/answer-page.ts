// Renders the page of an answer link [Q3]: plain HTML without a script. Its content comes from a model, so it is escaped, and invisible
// characters are shown by name. It offers every answer that the link allows, and reads its own form.

import { isObject, type Json } from "../../../core/json.ts"
import { exactJson } from "../../../core/outside/exact-json.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { answerTo } from "../../../core/run/question/answer.ts"
import type { Verb } from "../../../core/run/question/forms.ts"
import { isApproval, question, type QuestionModel, type Way } from "../../../core/run/question/question.ts"
import type { Answer } from "../../../core/run/signal.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import { surface } from "../../middleware/body.ts"
import { invalid, type Refusal } from "../../middleware/problem.ts"
import { aboutOf, type AnswerContext } from "./answer-about.ts"
import { askerOf, fieldsOf, filledIn } from "./answer-fields.ts"
import { attribute, shown, visibleJson } from "./page-text.ts"
import { setOutValue } from "../../../core/outside/set-out.ts"

/** Light or dark like the reader's system, one column from 320 px. */
export const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d4d4d8,#3f3f46);--soft:light-dark(#f4f4f5,#27272a);--dim:light-dark(#52525b,#a1a1aa)}*{box-sizing:border-box}body{font:16px/1.5 system-ui;max-width:40rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}h1{font-size:1.3rem;white-space:pre-wrap}pre{background:var(--soft);padding:.8rem;overflow:auto;max-height:30rem;white-space:pre-wrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .8rem;margin:1rem 0}dt{color:var(--dim)}dd{margin:0;white-space:pre-wrap}button{font:inherit;padding:.5rem 1rem;margin:.2rem .4rem .2rem 0;max-width:100%;border:1px solid var(--line);border-radius:.4rem;background:var(--soft);color:inherit}button.default{font-weight:600;border-color:currentColor}label{display:block;padding:.2rem 0}input[type=text],input[type=number],select,textarea{font:inherit;width:100%;padding:.5rem;border:1px solid var(--line);border-radius:.4rem}textarea.code{font-family:ui-monospace,monospace;min-height:8rem}small{color:var(--dim)}mark{background:#fde68a;color:#7c2d12;padding:0 .2em;border-radius:.2em;font:.85em ui-monospace,monospace}`

/** The page, with only a status once the question is closed: the link may stay in a mailbox for days. */
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
  if (kind === "effects") return "The run is done. Which of its held calls should be carried out?"
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
  const { ways } = question(i)
  const { approve, reject, edit, stop, raise, fill, all, none, cancel } = ways
  const parts: string[] = []
  if (isApproval(i)) {
    parts.push(`<input type="hidden" name="hash" value="${attribute(textOf(i.payload["hash"]))}">`)
    parts.push(`<p><input type="text" name="feedback" aria-label="Feedback" placeholder="Feedback for the agent (optional)"></p>`)
    parts.push(button("decision", "approve", approve), button("decision", "reject", reject))
    if (edit)
      parts.push(
        `<p><textarea class="code" name="args" aria-label="Other arguments">${attribute(visibleJson(edit.fields[0]?.default ?? {}))}</textarea></p>`,
        button("decision", "edit", { label: "Run with these arguments" }),
      )
  } else if (stop) {
    parts.push(button("answer", '"stop"', stop))
    for (const { name, label } of raise?.fields ?? [])
      parts.push(`<p><label>${shown(label)} <input type="number" step="any" name="${RAISE}${attribute(name)}"></label></p>`)
    parts.push(button("raise", "1", raise))
  } else if (i.kind === "elicitation") {
    if (fill) parts.push(...fieldsOf(fill), button("fill", "1", fill))
    parts.push(button("decision", "approve", approve), button("decision", "reject", reject), button("cancelled", "1", cancel))
  } else if (i.kind === "effects") {
    parts.push(button("answer", '{"commit":"all"}', all), button("answer", '{"commit":[]}', none))
  } else parts.push(...answersOf(ways))
  return `<form method="post">${parts.join("")}</form>`
}

function answersOf({ answer, custom, auto, cancel }: QuestionModel["ways"]): string[] {
  const [{ kind, options, default: given } = { kind: "text" as const, options: [] }, notes] = answer?.fields ?? []
  const chosen = new Set([given ?? []].flat())
  const parts: string[] = []
  if (kind === "choices")
    for (const { value, label } of options) {
      const checked = chosen.has(value) ? " checked" : ""
      parts.push(`<label><input type="checkbox" name="choice" value="${attribute(label)}"${checked}> ${shown(label)}</label>`)
    }
  if (kind === "text") parts.push(textArea("text", "Your answer", typeof given === "string" ? given : ""))
  if (notes) parts.push(textArea("notes", "Notes for the agent (optional)"))
  if (kind === "choices") parts.push(button("choose", "1", answer))
  else if (kind === "text") parts.push(button("answer", "text", answer))
  else for (const { value, label } of options) parts.push(button("answer", JSON.stringify(value), { label }, chosen.has(value)))
  if (custom) parts.push(textField("other", "Another answer"), button("custom", "1", custom))
  parts.push(button("auto", "1", auto), button("cancelled", "1", cancel))
  return parts
}

/** Reads the button that was pressed, and the fields that belong to it. */
export function fromForm(asked: InteractionView, text: string): Result<Answer, Refusal> {
  const form = new URLSearchParams(text)
  const of = (verb: Verb, given: Readonly<Record<string, unknown>> = {}) => ok(answerTo(asked, verb, given).body)
  const [decision, hash] = [form.get("decision"), form.get("hash")]
  if (decision === "approve" || decision === "reject" || decision === "edit") {
    const args = parsed(form.get("args") ?? "")
    // [Q3] The page is what was seen: another call may wait by now.
    const seen = { ...asked, payload: hash === null ? {} : { hash } }
    const given = { feedback: form.get("feedback") ?? "", ...(decision === "edit" ? { args: isObject(args) ? args : null } : {}) }
    const { body, faults } = answerTo(seen, decision, given)
    return faults["args"] === undefined ? ok(body) : err(invalid([{ pointer: "/args", message: faults["args"] }]))
  }
  if (form.has("auto")) return of("auto")
  if (form.has("cancelled")) return of("cancel")
  if (form.has("fill")) return of("fill", filledIn(form))
  if (form.has("custom")) return of("custom", { custom: form.get("other") ?? "" })
  const notes = form.get("notes") ?? ""
  if (form.has("choose")) return of("answer", { answer: form.getAll("choice"), notes })
  if (form.has("raise"))
    return of(
      "raise",
      Object.fromEntries([...form].filter(([name]) => name.startsWith(RAISE)).map(([name, value]) => [name.slice(RAISE.length), value])),
    )
  const answer = form.get("answer")
  if (form.has("text") && (answer === null || answer === "text")) return of("answer", { answer: form.get("text") ?? "", notes })
  return answer === null ? ok({}) : of("answer", { answer: parsed(answer), notes })
}

const RAISE = "raise."

function parsed(text: string): Json {
  try {
    const value = exactJson(text) as Json
    return surface(value) === undefined ? value : text
  } catch {
    return text
  }
}

const button = (name: string, value: string, way: Pick<Way, "label"> | undefined, isDefault = false): string =>
  way ? `<button name="${name}" value="${attribute(value)}"${isDefault ? ' class="default"' : ""}>${shown(way.label)}</button>` : ""

/** HTML drops a line feed at the beginning of its text. */
const textArea = (name: string, label: string, text = ""): string =>
  `<p><textarea name="${name}" rows="2" aria-label="${label}" placeholder="${label}">\n${attribute(text)}</textarea></p>`

const textField = (name: string, label: string): string =>
  `<p><input type="text" name="${name}" aria-label="${label}" placeholder="${label}"></p>`

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))
