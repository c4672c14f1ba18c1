// Reads the body of a verified delivery [W2]: declared JSON must parse, a form becomes an object, anything else is text. It is read in
// pieces, because its sender is not the tenant [N4], and error messages quote nothing of it.

import type { Json } from "../../core/json.ts"
import { readJson } from "../../core/outside/json-pieces.ts"
import type { Pieces } from "../../core/pieces.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { formBody, formOf } from "../../core/webhook/payload.ts"
import { decode, surfacePieces } from "../middleware/body.ts"

/** Parses the body; the error names its fault. */
export function* hookBody(raw: Uint8Array, contentType: string | undefined): Pieces<Result<Json, string>> {
  const body = yield* readAs(formOf(contentType), raw)
  if (!body.ok) return body
  const fault = yield* surfacePieces(body.value)
  return fault === undefined ? body : err(`the body ${[fault.pointer, fault.message].filter((x) => x !== "").join(" ")}`)
}

function* readAs(form: "json" | "form" | "text", raw: Uint8Array): Pieces<Result<Json, string>> {
  if (form === "text") return ok(loosely(raw))
  if (form === "form") return ok(yield* formBody(new URLSearchParams(loosely(raw))))
  const text = decode(raw)
  if (text === undefined) return err("the body is declared as JSON but is not UTF-8")
  const read = yield* readJson(text)
  return read.ok ? ok(read.value as Json) : err(`the body is declared as JSON but ${read.error.message}`)
}

/** Bytes that are not UTF-8 become U+FFFD. */
const loosely = (raw: Uint8Array): string => new TextDecoder().decode(raw)
