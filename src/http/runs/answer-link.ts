// A link for a person without a key [Q3]: signed, for one interaction of one run, until it expires or the question is answered.
//
// GET changes nothing, because mail scanners follow links; the answer is a POST. The page is plain HTML without a script, and a question's
// text, which comes from a model, is shown as text. Answers are judged where every answer is judged [Q2].

import { isObject, type Json } from "../../core/json.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { json, surface } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { oneAlternative, refusalOf } from "./interactions.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { refuseIf, runOf } from "./runs.ts"
import { AnswerBody, interactions, LinkBody } from "../../api/interactions.ts"

const DEFAULT_TTL = 86_400

export async function makeLink(c: Call): Promise<Response> {
  const run = runOf(c)
  const id = param(c, "interaction")
  const body = json(c, LinkBody)
  if (!body.ok) return refuseIf(c, run?.interaction(id), body.error)
  const found = await run?.interaction(id)
  if (!found) return refuse(c, NOT_FOUND)
  const expires = Date.now() + (body.value.ttl ?? DEFAULT_TTL) * 1000
  const token = await c.get("tenant").answerToken(found.run, id, expires)
  return c.json({ url: `${new URL(c.req.url).origin}/i/${token}`, expires: new Date(expires).toISOString() }, 201)
}

const REFUSED = { code: "link_refused", detail: "The link has expired or is not valid. Ask for a new one." } as const

export async function showLink(c: Call): Promise<Response> {
  const linked = await c.get("house").linked(param(c, "token"))
  const found = await linked?.run.interaction(linked.interaction)
  if (!linked || !found) return refuse(c, REFUSED)
  return wantsPage(c) ? pageOf(c, found) : c.json(found)
}

export async function answerLink(c: Call): Promise<Response> {
  const linked = await c.get("house").linked(param(c, "token"))
  if (!linked) return refuse(c, REFUSED)
  const form = c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded") === true
  const body = form ? { ok: true as const, value: fromForm(new TextDecoder().decode(c.get("body"))) } : json(c, AnswerBody)
  if (!body.ok) return refuse(c, body.error)
  const errors = oneAlternative(body.value)
  if (errors.length > 0) return refuse(c, invalid(errors))
  const done = await linked.run.answer(linked.interaction, body.value, "link")
  if (!done.ok && done.code === "not_found") return refuse(c, REFUSED)
  if ("interaction" in done && wantsPage(c)) return pageOf(c, done.interaction, done.ok ? 200 : 409)
  return done.ok ? c.json(done.interaction) : refuse(c, refusalOf(done))
}

/** Reads one button or field of the page: `answer=JSON`, or another alternative. */
function fromForm(text: string): Answer {
  const form = new URLSearchParams(text)
  const answer = form.get("answer")
  const decision = form.get("decision")
  const feedback = form.get("feedback") ?? ""
  if (decision === "approve" || decision === "reject")
    return { decision, ...(decision === "approve" ? hashOf(form) : {}), ...(feedback === "" ? {} : { feedback }) }
  if (form.has("auto")) return { auto: true }
  if (form.has("cancelled")) return { cancelled: true }
  if (form.has("text")) return { answer: form.get("text") ?? "" }
  return answer === null ? {} : { answer: parsed(answer) }
}

const hashOf = (form: URLSearchParams): { hash?: string } => {
  const hash = form.get("hash")
  return hash === null ? {} : { hash }
}

function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return surface(value) === undefined ? value : text
  } catch {
    return text
  }
}

const wantsPage = (c: Call): boolean => (c.req.header("accept") ?? "").includes("text/html")

function pageOf(c: Call, i: InteractionView, status: 200 | 409 = 200): Response {
  const { payload } = i
  const asked =
    typeof payload["question"] === "string" ? payload["question"] : `Step ${i.step} wants to run ${textOf(payload["tool"]) || i.kind}`
  const shown =
    i.kind === "approval.tool" || i.kind === "approval.plan"
      ? `<pre>${escape(JSON.stringify(payload["body"] ?? payload["args"], null, 2))}</pre>`
      : ""
  const state =
    i.status === "pending"
      ? formOf(i)
      : `<p>This question is ${i.status}${i.answer ? `: <code>${escape(JSON.stringify(i.answer))}</code>` : ""}.</p>`
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sluice asks</title>
<style>*{box-sizing:border-box}body{font:16px/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}pre{background:#f4f4f5;padding:1rem;overflow:auto;white-space:pre-wrap}button{font:inherit;padding:.4rem 1rem;margin:.2rem .4rem .2rem 0}input[type=text]{font:inherit;width:100%;padding:.4rem}small{color:#666}</style>
<h1>${escape(asked)}</h1>${shown}${state}<p><small>Run ${escape(i.run)}, step ${escape(i.step)}, asked ${escape(i.created)}${i.risk ? `, risk ${escape(i.risk)}` : ""}</small></p></html>`
  return c.body(html, status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  })
}

function formOf(i: InteractionView): string {
  const button = (name: string, value: string, label: string): string =>
    `<button name="${name}" value="${escape(value)}">${escape(label)}</button>`
  const feedback = `<p><input type="text" name="feedback" aria-label="Feedback" placeholder="Feedback for the agent (optional)"></p>`
  const { payload } = i
  const options = Array.isArray(payload["options"]) ? payload["options"] : []
  const buttons: string[] = []
  if (i.kind === "approval.tool" || i.kind === "approval.plan") {
    buttons.push(`<input type="hidden" name="hash" value="${escape(textOf(payload["hash"]))}">`, feedback)
    buttons.push(button("decision", "approve", "Approve"), button("decision", "reject", "Reject"))
  } else if (i.kind === "budget") buttons.push(button("answer", '"stop"', "Stop the run"))
  else if (payload["type"] === "confirm") buttons.push(button("answer", "true", "Yes"), button("answer", "false", "No"))
  else if (options.length > 0)
    for (const option of options) {
      const label = textOf(isObject(option) ? option["label"] : option)
      buttons.push(button("answer", JSON.stringify(payload["multiSelect"] === true ? [label] : label), label))
    }
  else buttons.push(`<p><input type="text" name="text" aria-label="Your answer" required></p>`, "<button>Answer</button>")
  return `<form method="post">${buttons.join("")}</form>`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")

export const ANSWER_LINK_ROUTES = routes(interactions, { makeAnswerLink: makeLink, openAnswerLink: showLink, answerByLink: answerLink })
