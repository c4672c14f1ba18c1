// Removes the tenant's secrets from incoming data [T32]: a model's reply or a tool's result. Done once, before anything is checked, shown,
// journaled, executed or stored, so that all of these see the same bytes. Runs in pieces [N4], because the data may have megabytes.

import { jsonPieces } from "../../core/outside/json-pieces.ts"
import type { Pieces } from "../../core/pieces.ts"
import { PIECE, type RedactedStream } from "../../core/secrets/redact-stream.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import { Breath } from "../../ports/breath.ts"
import type { FinalMessage, ModelToolCall } from "../../ports/model.ts"
import { failed, type Raw } from "./call/tool-outcome.ts"

export const cleanReply = async (final: FinalMessage, redactor: Redactor): Promise<FinalMessage> =>
  redactor.idle ? final : inPieces(replyPieces(final, redactor))

function* replyPieces(final: FinalMessage, redactor: Redactor): Pieces<FinalMessage> {
  const { error } = final
  const toolCalls: ModelToolCall[] = []
  for (const { args, ...call } of final.toolCalls)
    toolCalls.push({ ...(yield* redactor.jsonPieces(call)), args: yield* argsPieces(args, redactor) })
  return {
    ...final,
    text: yield* redactor.pieces(final.text),
    toolCalls,
    ...(error === undefined ? {} : { error: { ...error, message: yield* redactor.pieces(error.message) } }),
  }
}

/** Redacts the parsed values, not the text: a replacement in the middle of an escape sequence would make the JSON invalid. */
function* argsPieces(args: string, redactor: Redactor): Pieces<string> {
  const parsed = yield* jsonPieces(args)
  if (!parsed.ok) return yield* redactor.pieces(args)
  const clean = yield* redactor.jsonPieces(parsed.value)
  return clean === parsed.value ? args : JSON.stringify(clean)
}

/** Cleans JSON from a person or another system. */
export const cleanJson = async <T>(said: T, redactor: Redactor): Promise<T> => inPieces(redactor.jsonPieces(said))

/** The part of a streamed reply that may be shown now. */
export const cleanDelta = (text: string, shown: RedactedStream): string | Promise<string> =>
  text.length <= PIECE ? shown.push(text) : inPieces(shown.pushPieces(text))

/** Withholds a result that cannot be searched for secrets; rejects when the call was stopped. */
export async function cleanResult(tool: string, raw: Raw, redactor: Redactor, signal: AbortSignal): Promise<Raw> {
  if (redactor.idle) return raw
  try {
    return await inPieces(rawPieces(raw, redactor), signal)
  } catch {
    signal.throwIfAborted()
    return failed(`the result of ${tool} is withheld: it could not be searched for secrets`)
  }
}

function* rawPieces(raw: Raw, redactor: Redactor): Pieces<Raw> {
  const content: ContentPart[] = []
  for (const part of raw.content) content.push(cleaned(part, yield* redactor.jsonPieces(part)))
  return { ...(yield* redactor.jsonPieces({ ...raw, content: [] })), content }
}

/** Cleans in pieces. Nearly every result is a single piece and causes no wait. */
export async function inPieces<T>(pieces: Pieces<T>, signal?: AbortSignal): Promise<T> {
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
