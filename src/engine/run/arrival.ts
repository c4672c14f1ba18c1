// Removes the tenant's secrets from what arrives from outside [T32]: a model's reply or a tool's result. Done once, before anything is
// checked, shown, journaled, executed or stored, so that all of these see the same bytes.

import type { Pieces } from "../../core/pieces.ts"
import { exactJson } from "../../core/outside/exact-json.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import { Breath } from "../../ports/breath.ts"
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
    const parsed = exactJson(args)
    const clean = redactor.json(parsed)
    return clean === parsed ? args : JSON.stringify(clean)
  } catch {
    return redactor.text(args)
  }
}

/** In pieces [N4]. Withholds a result that cannot be searched for secrets; rejects when the call was stopped. */
export async function cleanResult(tool: string, raw: Raw, redactor: Redactor, signal: AbortSignal): Promise<Raw> {
  if (redactor.idle) return raw
  try {
    return await inPieces(rawPieces(raw, redactor), signal)
  } catch {
    signal.throwIfAborted()
    return failed(`the result of ${tool} is withheld: it could not be looked through for secrets`)
  }
}

function* rawPieces(raw: Raw, redactor: Redactor): Pieces<Raw> {
  const content: ContentPart[] = []
  for (const part of raw.content) content.push(cleaned(part, yield* redactor.jsonPieces(part)))
  return { ...(yield* redactor.jsonPieces({ ...raw, content: [] })), content }
}

/** Nearly every result is one piece, and waits for nobody. */
async function inPieces<T>(pieces: Pieces<T>, signal: AbortSignal): Promise<T> {
  const first = pieces.next()
  if (first.done === true) return first.value
  const breath = new Breath(signal)
  await breath.take(first.value)
  return breath.through(pieces)
}

export const cleanParts = (content: readonly ContentPart[], redactor: Redactor): readonly ContentPart[] =>
  redactor.idle ? content : content.map((part) => cleaned(part, redactor.json(part)))

/** An image with redacted bytes is not valid. */
const cleaned = (part: ContentPart, clean: ContentPart): ContentPart =>
  clean !== part && part.type === "image" ? { type: "text", text: "[an image with a secret in it is left out]" } : clean
