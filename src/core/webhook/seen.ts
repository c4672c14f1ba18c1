// Prepares a delivery for a hook's filter and mapping [W1, W2].

import { isObject } from "../json.ts"
import type { HookSettings } from "./hook.ts"
import { formOf, type Payload } from "./payload.ts"

/** Tells whether the body was a form, in which every field is text. */
export function isForm({ headers }: Pick<Payload, "headers">): boolean {
  const type = headers["content-type"]
  return typeof type === "string" && formOf(type) === "form"
}

/**
 * The body that a hook sees. GitHub sends an event as JSON, or by default as the field `payload` of a form; both give the same body. A hook
 * that names `payload` itself was written for the form and sees it unchanged.
 */
export function seenBy(hook: Pick<HookSettings, "kind" | "filter" | "mapping">, payload: Payload): Payload {
  if (hook.kind !== "github" || !isForm(payload) || !isObject(payload.body)) return payload
  const { payload: event } = payload.body
  if (!isObject(event) || NAMES_IT.test(`${hook.filter ?? ""} ${JSON.stringify(hook.mapping)}`)) return payload
  return { ...payload, body: event }
}

const NAMES_IT = /(?:^|[\s&]|body\.)payload\b/
