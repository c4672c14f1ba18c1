// POST /v1/hooks/:hook/test [W1–W3]: tests a hook with a delivery that is signed and checked like a real one. It is not stored and starts
// nothing.

import { hooks as declared, HookTestBody } from "../../api/hooks.ts"
import { defined } from "../../core/defined.ts"
import { batchInto } from "../../core/language/resolve-start.ts"
import { deliveredInputs } from "../../core/webhook/delivered-inputs.ts"
import { hookStart } from "../../core/webhook/mapping.ts"
import { obeyed } from "../../engine/run/begin/obeyed.ts"
import { asText } from "../../core/flow/template.ts"
import { isObject, type Json } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { fieldsOf, headersOf, type Payload } from "../../core/webhook/payload.ts"
import { seenBy } from "../../core/webhook/seen.ts"
import { startable } from "../../engine/catalog/pin/startable.ts"
import { sampleOf, signedHeaders } from "./sign.ts"
import { verify } from "./verify.ts"
import { Breath } from "../../ports/breath.ts"
import type { HookRow } from "../../ports/tenant/hooks.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Fault } from "../middleware/problem.ts"
import { hookBody } from "./hook-body.ts"
import { whatOf } from "./hook-in.ts"

interface Judged {
  readonly verdict: "accepted" | "filtered" | "ping" | "rejected" | "failed"
  readonly reason: string | null
  readonly starts: object | null
  readonly missing: readonly string[]
}

const none = (verdict: Judged["verdict"], reason: string, missing: readonly string[] = []): Judged => ({
  verdict,
  reason,
  starts: null,
  missing,
})

export async function testHook(c: Call): Promise<Response> {
  const wish = json(c, HookTestBody)
  if (!wish.ok) return refuse(c, wish.error)
  const id = param(c, "hook")
  const hook = await c.get("tenant").hooks.find(id)
  if (!hook) return refuse(c, NOT_FOUND)
  const { event = "issues" } = wish.value
  const sender = `test-${crypto.randomUUID()}`
  const body: Json = wish.value.body ?? sampleOf(hook.kind, sender)
  const written = wish.value.type === "form" ? asForm(hook.kind, body) : ok(JSON.stringify(body))
  if (!written.ok) return refuse(c, invalid([written.error]))
  const raw = new TextEncoder().encode(written.value)
  const [secret = ""] = (await c.get("services").hook(id))?.secrets.filter((value) => value.trim() !== "") ?? []
  const now = Date.now()
  const type = wish.value.type === "form" ? "application/x-www-form-urlencoded" : "application/json"
  const sent = new Headers({ "content-type": type })
  const proof = secret === "" ? {} : await signedHeaders({ hook, secret, body: raw, id: sender, event, now })
  for (const [name, value] of Object.entries(proof)) sent.set(name, value)
  const read = await new Breath().through(hookBody(raw, type))
  const payload = { headers: headersOf(sent, hook), body: read.ok ? read.value : null, query: fieldsOf([]) }
  const judged = read.ok ? await judge(c, hook, { secret, sent, payload, raw, now }) : none("rejected", read.error)
  return c.json({ ...judged, sent: { headers: Object.keys(proof), body }, seen: seenBy(hook, payload).body })
}

/** As GitHub fills its field `payload`; other senders have a field for each member. */
function asForm(kind: HookRow["kind"], body: Json): Result<string, Fault> {
  if (kind === "github") return ok(new URLSearchParams({ payload: JSON.stringify(body) }).toString())
  if (!isObject(body)) return err({ pointer: "/body", message: "must be an object: a form has a field for each member" })
  const fields = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, asText(one)]))
  return ok(new URLSearchParams(fields).toString())
}

interface Sample {
  /** "": there is none. */
  readonly secret: string
  readonly sent: Headers
  readonly payload: Payload
  readonly raw: Uint8Array
  readonly now: number
}

async function judge(c: Call, hook: HookRow, { secret, sent, payload, raw, now }: Sample): Promise<Judged> {
  if (!hook.enabled) return none("rejected", "The hook is disabled, so its address returns 404. Enable it.")
  if (secret === "") return none("rejected", `The scope "${hook.secret}" has no value in the vault: write it with PUT /v1/secrets/{scope}.`)
  const header = (name: string): string | null => sent.get(name)
  const proof = await verify({ hook, secrets: [secret], header, body: raw, now })
  if (!proof.ok) return none("rejected", proof.error)
  const what = await new Breath().compute(raw.byteLength, () => whatOf(hook, header, payload, {}))
  if (what.verdict === "ping") return none(what.verdict, "The delivery only checks the address.")
  if (what.verdict !== "accepted") return none(what.verdict, what.reason ?? "The hook's filter rejects the delivery.")
  const { task, files = {}, thread = null, missing = [] } = what
  const pinned = await c.get("tenant").catalog.pin({ flow: hook.flow }, { rehearse: false, autonomous: hook.autonomous })
  if (!pinned.ok) return none("failed", pinned.code === "not_found" ? `There is no flow "${hook.flow}".` : pinned.message)
  const said = hook.start && hookStart(hook.start, payload)
  const inputs = deliveredInputs(pinned.flow.inputs, what.inputs, batchInto({ flow: pinned.flow, trigger: said }))
  const ready = startable({ flow: pinned.flow }, { task, inputs })
  if (!ready.ok) {
    const [fault] = ready.error.faults
    const isTask = fault?.pointer === "/task"
    const why = isTask ? "The flow needs a task, and the mapping gives none." : `The input ${fault?.pointer} ${fault?.message}.`
    return none("failed", why, missing)
  }
  const trigger = { kind: "webhook", hook: hook.id, delivery: "dl_test" } as const
  const block = await obeyed(
    { flow: pinned.flow, trigger: said },
    {
      run: "run_of_the_delivery",
      task,
      inputs: ready.value.inputs,
      ...defined({ thread: what.thread }),
      trigger,
      payload: { ...seenBy(hook, payload) },
    },
    () => c.get("tenant").secrets.redactor(),
  )
  const start = block ?? null
  return { verdict: "accepted", reason: null, starts: { flow: hook.flow, task, inputs, files: Object.keys(files), thread, start }, missing }
}

export const HOOK_TEST_ROUTES = routes(declared, { testHook })
