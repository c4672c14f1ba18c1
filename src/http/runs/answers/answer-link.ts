// Serves links for people without a key [Q3]: signed, for one interaction of one run, until it expires or the question is answered.
//
// GET changes nothing, because mail scanners follow links; the answer is a POST. A link allows the answers that its page shows; editing a
// call or raising a budget needs a link created for that. After the answer it shows only a status, because links stay in mailboxes. Answers
// are checked like any answer [Q2].

import type { Json } from "../../../core/json.ts"
import { hasVerb, inside } from "../../../core/run/question/forms.ts"
import { checkAnswer } from "../../../core/run/session/ask/interaction.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import { addressAt } from "../../middleware/address.ts"
import { check, json } from "../../middleware/body.ts"
import { param, routes, type Call } from "../../middleware/call.ts"
import { oneAlternative, pointerOf, refusalOf } from "./interactions.ts"
import { invalid, NOT_FOUND, refuse } from "../../middleware/problem.ts"
import type { InstanceServices } from "../../../ports/services.ts"
import { policyFor } from "../../middleware/page-policy.ts"
import type { AnswerContext } from "./answer-about.ts"
import { answerPage, fromForm, STYLE } from "./answer-page.ts"
import { refuseIf, runOf } from "../runs.ts"
import { AnswerBody, interactions, LINK_ALLOWS, LinkBody } from "../../../api/run/interactions.ts"
import { defined } from "../../../core/defined.ts"

const DEFAULT_TTL = 86_400

export async function makeLink(c: Call): Promise<Response> {
  const run = runOf(c)
  const id = param(c, "interaction")
  const body = json(c, LinkBody)
  if (!body.ok) return refuseIf(c, run?.interaction(id), body.error)
  const found = await run?.interaction(id)
  if (!found) return refuse(c, NOT_FOUND)
  const { ttl = DEFAULT_TTL, allow = [] } = body.value
  const expires = Date.now() + ttl * 1000
  const token = await c.get("tenant").answerToken({ run: found.run, interaction: id, allow, expires })
  return c.json({ url: addressAt(c, `/i/${token}`), expires: new Date(expires).toISOString() }, 201)
}

const REFUSED = { code: "link_refused", detail: "The link has expired or is not valid. Ask for a new one." } as const
const NOT_BY_LINK = {
  code: "not_by_link",
  detail: "This link was not made to edit a call or to raise a budget. Ask for a link that allows it, or answer with a key.",
} as const

export async function showLink(c: Call): Promise<Response> {
  const linked = await linkedOf(c)
  const found = await linked?.run.interaction(linked.interaction)
  if (!linked || !found) return refuse(c, REFUSED)
  const shown = narrowed(found, linked.allow)
  return wantsPage(c) ? pageOf(c, shown, await contextOf(c, linked, shown)) : c.json(shown.status === "pending" ? shown : closed(shown))
}

export async function answerLink(c: Call): Promise<Response> {
  const linked = await linkedOf(c)
  if (!linked) return refuse(c, REFUSED)
  const asked = await linked.run.interaction(linked.interaction)
  if (!asked) return refuse(c, REFUSED)
  const form = c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded") === true
  const read = form ? fromForm(asked, new TextDecoder().decode(c.get("body"))) : json(c, AnswerBody)
  const body = form && read.ok ? check(AnswerBody, read.value) : read
  if (!body.ok) return refuse(c, body.error)
  const errors = oneAlternative(body.value)
  if (errors.length > 0) return refuse(c, invalid(errors))
  if (asked.status === "pending") {
    const fits = checkAnswer(narrowed(asked, linked.allow), body.value)
    if (!fits.ok && checkAnswer(asked, body.value).ok) return refuse(c, NOT_BY_LINK)
    if (!fits.ok) return refuse(c, invalid(fits.error.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
  }
  const done = await linked.run.answer(linked.interaction, body.value, "link")
  if (!done.ok && done.code === "not_found") return refuse(c, REFUSED)
  if ("interaction" in done && wantsPage(c)) return pageOf(c, narrowed(done.interaction, linked.allow), {}, done.ok ? 200 : 409)
  if (done.ok) return c.json(closed(done.interaction))
  const refusal = refusalOf(done)
  const isOver = "interaction" in done && done.interaction.status !== "pending"
  return refuse(c, isOver ? { ...refusal, more: { interaction: closed(done.interaction) } } : refusal)
}

type Linked = NonNullable<Awaited<ReturnType<InstanceServices["linked"]>>>

async function linkedOf(c: Call): Promise<Linked | undefined> {
  const linked = await c.get("services").linked(param(c, "token"))
  if (linked) c.set("linkedTenant", linked.tenant)
  return linked
}

/** The interaction with the answers that this link gives. */
function narrowed(i: InteractionView, allow: readonly string[]): InteractionView {
  const forms = i.status === "pending" ? i.schema["oneOf"] : undefined
  if (!Array.isArray(forms)) return i
  return { ...i, schema: { ...i.schema, oneOf: forms.filter((form) => allow.includes(beyond(form) ?? "") || beyond(form) === undefined) } }
}

/** What a form of the answer needs to be allowed; undefined: it answers what is asked. */
function beyond(form: Json): "edit" | "raise" | undefined {
  const members = inside(inside(form)["properties"])
  return LINK_ALLOWS.find((verb) => hasVerb(members, verb))
}

const closed = ({ id, run, status }: InteractionView) => ({ id, run, status })

const wantsPage = (c: Call): boolean => (c.req.header("accept") ?? "").includes("text/html")

async function pageOf(c: Call, i: InteractionView, context: AnswerContext, status: 200 | 409 = 200): Promise<Response> {
  const policy = await policyFor(STYLE, "'self'")
  return c.body(answerPage(i, context), status, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
}

/** Nothing once there is an answer. */
async function contextOf(c: Call, { run, tenant }: Linked, { status, payload }: InteractionView): Promise<AnswerContext> {
  if (status !== "pending") return {}
  const { tool } = payload
  const view = await run.view()
  const does = typeof tool === "string" ? await descriptionOf(c, tenant, tool) : undefined
  return { ...(view === undefined ? {} : { flow: view.flow, task: view.task }), ...defined({ does }) }
}

/** A page without a description is better than none: the tool may be gone. */
async function descriptionOf(c: Call, tenant: string, name: string): Promise<string | undefined> {
  const { tools, others = [] } = c.get("services")
  const shipped = [...tools, ...others].find((tool) => tool.name === name)
  if (shipped) return shipped.description
  const rows = await c
    .get("services")
    .open({ tenant, name: "link", scopes: [] })
    .registered.registered()
    .catch(() => [])
  return rows.find(({ def }) => def.name === name)?.def.description
}

export const ANSWER_LINK_ROUTES = routes(interactions, { makeAnswerLink: makeLink, openAnswerLink: showLink, answerByLink: answerLink })
