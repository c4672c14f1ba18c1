// Prepares a delivery for a hook's filter and mapping [W1, W2].

import { isObject } from "../json.ts"
import type { HookSettings } from "./hook.ts"
import { formOf, type Payload } from "./payload.ts"

/** Whether the body came as the fields of a form, of which each is text. */
export function isForm({ headers }: Pick<Payload, "headers">): boolean {
  const type = headers["content-type"]
  return typeof type === "string" && formOf(type) === "form"
}

/**
 * GitHub sends an event as JSON, or, as its pages have it at first, as the field `payload` of a form: one body either way. A hook that
 * names `payload` itself was written for the form, and sees it as it came.
 */
export function seenBy(hook: Pick<HookSettings, "kind" | "filter" | "mapping">, payload: Payload): Payload {
  if (hook.kind !== "github" || !isForm(payload) || !isObject(payload.body)) return payload
  const { payload: event } = payload.body
  if (!isObject(event) || NAMES_IT.test(`${hook.filter ?? ""} ${JSON.stringify(hook.mapping)}`)) return payload
  return { ...payload, body: event }
}

const NAMES_IT = /(?:^|[\s&]|body\.)payload\b/
