// Removes the tenant's secrets from what arrives from outside [T32]: a model's reply or a tool's result. Done once, before anything is
// checked, shown, journaled, executed or stored, so that all of these see the same bytes.

import type { Redactor } from "../../core/secrets/redact.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import type { FinalMessage, ModelToolCall } from "../../ports/model.ts"
import { failed, type Raw } from "./call/tool-outcome.ts"

export function cleanReply(final: FinalMessage, redactor: Redactor): FinalMessage {
  if (redactor.idle) return final
  const { error } = final
  return {
    ...final,
    text: redactor.text(final.text),
    toolCalls: final.toolCalls.map((call) => ({ ...redactor.json(call), args: cleanArgs(call, redactor) })),
    ...(error === undefined ? {} : { error: { ...error, message: redactor.text(error.message) } }),
  }
}

/** Redacts the parsed values, not the text: a replacement in the middle of an escape sequence would make the JSON invalid. */
function cleanArgs({ args }: ModelToolCall, redactor: Redactor): string {
  try {
    const parsed: unknown = JSON.parse(args)
    const clean = redactor.json(parsed)
    return clean === parsed ? args : JSON.stringify(clean)
  } catch {
    return redactor.text(args)
  }
}

/** Withholds a result that cannot be searched for secrets. */
export function cleanResult(tool: string, raw: Raw, redactor: Redactor): Raw {
  if (redactor.idle) return raw
  try {
    return { ...redactor.json(raw), content: cleanParts(raw.content, redactor) }
  } catch {
    return failed(`the result of ${tool} is withheld: it could not be looked through for secrets`)
  }
}

export const cleanParts = (content: readonly ContentPart[], redactor: Redactor): readonly ContentPart[] =>
  redactor.idle ? content : content.map((part) => cleanPart(part, redactor))

function cleanPart(part: ContentPart, redactor: Redactor): ContentPart {
  const clean = redactor.json(part)
  // An image with redacted bytes is not valid.
  return clean !== part && part.type === "image" ? { type: "text", text: "[an image with a secret in it is left out]" } : clean
}
