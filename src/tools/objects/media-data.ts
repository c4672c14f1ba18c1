// Defines the binary arguments of the media tools: base64 and its media type [T25].

import type { JsonObject, JsonSchema } from "../../core/json.ts"
import { string } from "../files/workspace-file.ts"

/** A call's arguments are at most 256 KiB from a model and 1 MiB over HTTP; this is the larger limit. */
export const DATA: JsonSchema = { type: "string", minLength: 1, maxLength: 1_048_576, description: "The bytes in base64." }

export function bytesOf(params: JsonObject, name = "data"): Uint8Array {
  const text = base64Of(params, name)
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
}

/** Validated base64, without a `data:` prefix or line breaks. */
export function base64Of(params: JsonObject, name = "data"): string {
  const text = string(params, name)
    .replace(/^data:[^,]{0,200};base64,/, "")
    .replace(/\s+/g, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, "").length % 4 === 1) throw new Error(`"${name}" is not base64`)
  return text
}
