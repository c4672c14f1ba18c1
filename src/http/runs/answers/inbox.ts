// Serves the tenant's inbox: all open questions of runs, and questions outside any run [Q2]; oldest first. The tenant's object knows which
// runs ask; their journals have the questions.

import { isObject } from "../../../core/json.ts"
import { barred, unlisted } from "../../../core/tool/policy/main-gate.ts"
import { validateArgs } from "../../../core/schema/validate-args.ts"
import { answerContent, questionFault } from "../../../core/run/session/ask/interaction.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import { pathAt } from "../../middleware/address.ts"
import { json, parseJson } from "../../middleware/body.ts"
import { param, routes, type Call } from "../../middleware/call.ts"
import { oneAlternative, pointerOf } from "./interactions.ts"
import { invalid, NOT_FOUND, refuse } from "../../middleware/problem.ts"
import { BAD_CURSOR } from "../../middleware/page.ts"
import { inboxPage } from "./inbox-page.ts"
import { whole, words } from "../../middleware/query.ts"
import { waitOf } from "../start-run.ts"
import { AnswerBody, INBOX_STATUS, interactions } from "../../../api/run/interactions.ts"
import { defined } from "../../../core/defined.ts"
import { InteractionKind } from "../../../core/run/event-parts.ts"
import { answeredPage } from "./answered-page.ts"
import { cleanJson } from "../../../engine/run/arrival.ts"

const MAX_FLOWS = 50 // limit: flows of a list of interactions → 422

export async function listInbox(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  const status = words("status", c.req.query("status"), INBOX_STATUS)
  const kind = words("kind", c.req.query("kind"), InteractionKind.options)
  const wrong = [limit, status, kind].flatMap((r) => (r.ok ? [] : [r.error]))[0]
  if (wrong || !limit.ok || !status.ok || !kind.ok) return refuse(c, wrong ?? invalid([]))
  const [state = "open", ...others] = status.value ?? []
  if (others.length > 0) return refuse(c, invalid([{ pointer: "?status", message: "must be one status" }]))
  const flow = c.req
    .query("flow")
    ?.split(",")
    .map((id) => id.trim())
  if (flow !== undefined && flow.length > MAX_FLOWS)
    return refuse(c, invalid([{ pointer: "?flow", message: `must name at most ${MAX_FLOWS} flows` }]))
  const cursor = c.req.query("cursor")
  const only = defined({ flow, kind: kind.value })
  const found =
    state === "open"
      ? await inboxPage(c.get("tenant"), `${c.get("caller").tenant} ${c.req.path}`, limit.value, { ...only, cursor })
      : await answeredPage(c.get("tenant"), { limit: limit.value, ...defined({ cursor }), ...only })
  return found ? c.json(found) : refuse(c, BAD_CURSOR)
}

export async function countInbox(c: Call): Promise<Response> {
  return c.json(await c.get("tenant").runList.waiting())
}

export async function getQuestion(c: Call): Promise<Response> {
  const question = await c.get("tenant").questions.find(param(c, "question"))
  return question ? c.json(question) : refuse(c, NOT_FOUND)
}

export async function answerQuestion(c: Call): Promise<Response> {
  const { questions, secrets } = c.get("tenant")
  const id = param(c, "question")
  const body = json(c, AnswerBody)
  const refusal = body.ok ? faultsOf(body.value) : body.error
  if (!body.ok || refusal) return refuse(c, (await questions.find(id)) && refusal ? refusal : NOT_FOUND)
  const said = await cleanJson(body.value, await secrets.redactor())
  const done = await questions.answer(id, said, c.get("caller").name)
  if (done.ok) return c.json(done.question)
  if (done.code === "not_found") return refuse(c, NOT_FOUND)
  if (done.code === "invalid") return refuse(c, invalid(done.errors.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
  const detail = `The question is already ${done.question.status}; the first decision counts.`
  return refuse(c, { code: "already_answered", detail, more: { interaction: done.question } })
}

const faultsOf = (body: Parameters<typeof oneAlternative>[0]) => {
  const errors = oneAlternative(body)
  return errors.length > 0 ? invalid(errors) : undefined
}

/** `POST /v1/tools/ask_user`: 200 with the answer if it arrives within `Prefer: wait`, otherwise 202 with the address to answer at. */
export async function askOutside(c: Call, tool: ToolSpec): Promise<Response> {
  const params = parseJson(c)
  if (!params.ok) return refuse(c, params.error)
  const { questions, secrets, settings } = c.get("tenant")
  const rules = await settings.rules()
  const closed = unlisted(tool, rules)
  if (closed) return refuse(c, { code: closed.code, detail: closed.reason })
  const said = await cleanJson(isObject(params.value) ? params.value : {}, await secrets.redactor())
  const args = validateArgs(tool.parameters, said)
  if (!args.ok) return refuse(c, invalid(args.error.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
  const fault = questionFault(args.value)
  if (fault !== undefined) return refuse(c, invalid([{ pointer: "/options", message: fault.replace(/^options: /, "") }]))
  const gate = barred(tool, args.value, rules)
  if (gate) return refuse(c, { code: gate.code, detail: gate.reason })
  const asked = await questions.ask(args.value, c.get("caller").name, c.get("act"))
  const seconds = waitOf(c.req.header("prefer"))
  const seen = seconds === undefined ? asked : await questions.wait(asked.id, seconds * 1000)
  const self = pathAt(c, `/v1/interactions/${asked.id}`)
  if (seen?.status !== "answered" || seen.answer === undefined)
    return c.json({ interaction: asked, urls: { self } }, 202, { location: self })
  return c.json({ content: answerContent(seen.answer), details: { interaction: asked.id, ...seen.answer } })
}

export const INBOX_ROUTES = routes(interactions, { listInbox, countInbox, getQuestion, answerQuestion })
