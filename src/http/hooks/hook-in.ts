// POST /v1/hooks/:hook, open to anyone who knows the id [W1–W3]. The order is 413, 404, 415, 401, 400: a body is not parsed before its
// signature is verified, and an unverified delivery leaves only a verdict and a reason.
//
// It takes no Idempotency-Key [H4], because the sender's own ids identify deliveries.

import { isPlaced, addressOf } from "../middleware/address.ts"
import { isObject, type Json } from "../../core/json.ts"
import { readTraceparent } from "../../core/trace.ts"
import { DEPTH_HEADER, depthOf, MOST_DEPTH, tooDeep } from "../../core/webhook/depth.ts"
import { heldBack } from "../../core/webhook/filter.ts"
import type { HookSettings } from "../../core/webhook/hook.ts"
import { given } from "../../core/webhook/mapping.ts"
import { fieldsOf, headersOf, type Payload } from "../../core/webhook/payload.ts"
import { isForm, seenBy } from "../../core/webhook/seen.ts"
import { identityOf } from "./identity.ts"
import { verify } from "./verify.ts"
import { Breath } from "../../ports/breath.ts"
import type { Delivered } from "../../ports/tenant/hooks.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { encodedBody } from "../middleware/body.ts"
import { hookBody } from "./hook-body.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { hooks } from "../../api/hooks.ts"
import { defined } from "../../core/defined.ts"

/** One detail for every reason: the hook's deliveries say exactly what is wrong, to those who may read them. */
const UNPROVEN = "The signature, its time or its headers are wrong; the hook's deliveries say which."

/** Bytes. */
const LARGE = 64 * 1024

export async function receive(c: Call): Promise<Response> {
  const door = await c.get("services").hook(param(c, "hook"))
  if (!door) return refuse(c, NOT_FOUND)
  const { hook, secrets } = door
  const raw = c.get("body")
  const header = (name: string): string | null => c.req.raw.headers.get(name)

  // [H3] Before the proof: some senders sign the plain bytes, and would look for the fault in their secret.
  const encoded = encodedBody(c)
  if (encoded) {
    await door.refuse("malformed", encoded.detail)
    return refuse(c, encoded)
  }
  const proof = await verify({ hook, secrets, header, body: raw, now: Date.now() })
  if (!proof.ok) {
    await door.refuse("rejected", proof.error)
    return refuse(c, { code: "unproven", detail: UNPROVEN })
  }
  const breath = new Breath()
  const body = await breath.through(hookBody(raw, header("content-type") ?? undefined))
  if (!body.ok) {
    await door.refuse("malformed", body.error)
    return refuse(c, { code: "malformed_json", detail: body.error })
  }
  const payload = {
    headers: headersOf(c.req.raw.headers, hook),
    body: body.value,
    query: fieldsOf(new URL(c.req.url).searchParams),
  }
  const { external, keys } = await identityOf(hook, header, payload, raw)
  const what = await breath.compute(raw.byteLength, () => whatOf(hook, header, payload, isPlaced(c) ? addressOf(c) : {}))
  // Every ping tests the connection, so none counts as a duplicate. A rejected delivery must not block a later one that is less deep.
  const isKnownBy = what.verdict === "ping" || what.verdict === "rejected" ? [] : keys
  const storing = new Breath()
  const taken = await door.deliver({ external, keys: isKnownBy, what })
  // Storing a large one takes as long as reading it.
  if (raw.byteLength > LARGE) await storing.take(raw.byteLength)
  if (!taken) return refuse(c, NOT_FOUND)
  const challenge = hook.kind === "slack" ? challengeOf(body.value) : undefined
  if (challenge !== undefined) return c.json({ challenge })
  return c.json(taken, taken.verdict === "duplicate" || taken.verdict === "ping" ? 200 : 202)
}

/** The effect of a verified delivery. */
export function whatOf(
  hook: HookSettings,
  header: (name: string) => string | null,
  payload: Payload,
  here: { readonly address?: string },
): Delivered["what"] {
  if (hook.kind === "github" && header("x-github-event") === "ping") return { verdict: "ping" }
  if (hook.kind === "slack" && challengeOf(payload.body) !== undefined) return { verdict: "ping" }
  const depth = depthOf(header(DEPTH_HEADER))
  if (depth > MOST_DEPTH) return { verdict: "rejected", reason: tooDeep(depth) }
  const seen = seenBy(hook, payload)
  const held = heldBack(hook.filter, seen.body, isForm(payload))
  // As it came: the hook of then may see it with other eyes.
  if (held !== undefined) return { verdict: "filtered", reason: held, payload: { ...payload } }
  const said = given(hook.mapping, seen)
  if (!said.ok) return { verdict: "failed", reason: said.error }
  const trace = readTraceparent(header("traceparent") ?? undefined)
  return { verdict: "accepted", ...said.value, ...here, payload: { ...seen }, ...(depth === 0 ? {} : { depth }), ...defined({ trace }) }
}

/** Slack checks an address once, with a challenge that the answer must repeat. */
function challengeOf(body: Json): string | undefined {
  if (!isObject(body) || body["type"] !== "url_verification") return undefined
  return typeof body["challenge"] === "string" ? body["challenge"] : undefined
}

export const HOOK_IN_ROUTES = routes(hooks, { deliver: receive })
