// The body of a delivery whose sender is known [W2]: declared JSON must parse, a form becomes an object, anything else is text.

import type { Json } from "../../core/json.ts"
import { exactJson } from "../../core/outside/exact-json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { formBody, formOf } from "../../core/webhook/payload.ts"
import { decode, surface } from "../middleware/body.ts"

/** The error says what is wrong with the body. */
export function hookBody(raw: Uint8Array, contentType: string | undefined): Result<Json, string> {
  const body = readAs(formOf(contentType), raw)
  if (!body.ok) return body
  const fault = surface(body.value)
  return fault === undefined ? body : err(`the body ${[fault.pointer, fault.message].filter((x) => x !== "").join(" ")}`)
}

function readAs(form: "json" | "form" | "text", raw: Uint8Array): Result<Json, string> {
  if (form === "text") return ok(loosely(raw))
  if (form === "form") return ok(formBody(new URLSearchParams(loosely(raw))))
  const text = decode(raw)
  if (text === undefined) return err("the body is declared as JSON but is not UTF-8")
  try {
    return ok(exactJson(text) as Json)
  } catch (error) {
    return err(`the body is declared as JSON but does not parse: ${error instanceof Error ? error.message : "not JSON"}`.slice(0, 300))
  }
}

/** Bytes that are not UTF-8 become U+FFFD. */
const loosely = (raw: Uint8Array): string => new TextDecoder().decode(raw)
