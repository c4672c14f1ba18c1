// POST /v1/hooks/:hook/test [W1–W3]: a delivery as the sender would sign it, judged as a delivery is. It is stored nowhere and starts nothing.

import { hooks as declared, HookTestBody } from "../../api/hooks.ts"
import { deliveredInputs } from "../../core/flow/delivered-inputs.ts"
import { checkInputs } from "../../core/flow/flow-inputs.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import { fieldsOf, headersOf } from "../../core/webhook/payload.ts"
import { sampleOf, signedHeaders } from "../../engine/webhook/sign.ts"
import { verify } from "../../engine/webhook/verify.ts"
import { Breath } from "../../ports/breath.ts"
import type { HookRow } from "../../ports/tenant/hooks.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { whatOf } from "./hook-in.ts"

interface Judged {
  readonly verdict: "accepted" | "filtered" | "ping" | "rejected" | "failed"
  readonly reason: string | null
  readonly starts: JsonObject | null
}

const none = (verdict: Judged["verdict"], reason: string): Judged => ({ verdict, reason, starts: null })

export async function testHook(c: Call): Promise<Response> {
  const wish = json(c, HookTestBody)
  if (!wish.ok) return refuse(c, wish.error)
  const id = param(c, "hook")
  const hook = await c.get("tenant").hooks.find(id)
  if (!hook) return refuse(c, NOT_FOUND)
  const { event = "issues" } = wish.value
  const sender = `test-${crypto.randomUUID()}`
  const body: Json = wish.value.body ?? sampleOf(hook.kind, sender)
  const raw = new TextEncoder().encode(JSON.stringify(body))
  const [secret = ""] = (await c.get("house").hook(id))?.secrets.filter((value) => value.trim() !== "") ?? []
  const now = Date.now()
  const sent = new Headers({ "content-type": "application/json" })
  const proof = secret === "" ? {} : await signedHeaders({ hook, secret, body: raw, id: sender, event, now })
  for (const [name, value] of Object.entries(proof)) sent.set(name, value)
  const judged = await judge(c, hook, { secret, sent, body, raw, now })
  return c.json({ ...judged, sent: { headers: Object.keys(proof), body } })
}

interface Sample {
  /** "": there is none. */
  readonly secret: string
  readonly sent: Headers
  readonly body: Json
  readonly raw: Uint8Array
  readonly now: number
}

async function judge(c: Call, hook: HookRow, { secret, sent, body, raw, now }: Sample): Promise<Judged> {
  if (!hook.enabled) return none("rejected", "The hook is switched off: to its sender it does not exist. Switch it on.")
  if (secret === "") return none("rejected", `The scope "${hook.secret}" has no value in the vault: write it with PUT /v1/secrets/{scope}.`)
  const header = (name: string): string | null => sent.get(name)
  const proof = await verify({ hook, secrets: [secret], header, body: raw, now })
  if (!proof.ok) return none("rejected", proof.error)
  const payload = { headers: headersOf(sent, hook), body, query: fieldsOf([]) }
  const what = await new Breath().compute(raw.byteLength, () => whatOf(hook, header, payload, {}))
  if (what.verdict === "failed" || what.verdict === "rejected") return none(what.verdict, what.reason)
  if (what.verdict !== "accepted")
    return none(what.verdict, what.verdict === "ping" ? "The sender only checks the address." : "The hook's filter stops it.")
  const { task, files = {}, thread = null } = what
  const pinned = await c.get("tenant").catalog.pin({ flow: hook.flow }, { rehearse: false, autonomous: hook.autonomous })
  if (!pinned.ok) return none("failed", pinned.code === "not_found" ? `There is no flow "${hook.flow}".` : pinned.message)
  const inputs = deliveredInputs(pinned.flow.inputs, what.inputs)
  const checked = checkInputs(pinned.flow.inputs, inputs)
  const [fault] = checked.ok ? [] : checked.error
  if (fault) return none("failed", `The input ${fault.pointer} ${fault.message}.`)
  if (pinned.flow.task_required && task.trim() === "") return none("failed", "The flow needs a task, and the mapping gives none.")
  return { verdict: "accepted", reason: null, starts: { flow: hook.flow, task, inputs, files: Object.keys(files), thread } }
}

export const HOOK_TEST_ROUTES = routes(declared, { testHook })
