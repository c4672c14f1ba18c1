// Reads a call's result for the call that undoes it [K35]: JSON where the text is JSON. The result comes from the journal, so it is
// complete, and has no delimiters around text from outside.

import type { Json } from "../../../core/json.ts"
import { exactJson } from "../../../core/outside/exact-json.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { Journal } from "../../../ports/journal.ts"

export async function answerOf(
  { journal, blobs }: { readonly journal: Journal; readonly blobs: Blobs },
  seq: number | undefined,
): Promise<Json> {
  const [event] = seq === undefined ? [] : journal.pick([seq])
  if (event?.type !== "tool.returned" && event?.type !== "effect.settled") return null
  const handle = event.type === "tool.returned" ? event.truncated?.handle : undefined
  const whole = handle === undefined ? undefined : await blobs.get(handle)
  const text = (event.content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  const said = whole ? new TextDecoder().decode(whole) : unwrapped(text)
  try {
    return exactJson(said) as Json
  } catch {
    return said
  }
}

const unwrapped = (text: string): string => /^<untrusted [^\n]*>\n([\s\S]*)\n<\/untrusted[^\n]*>\s*$/.exec(text)?.[1] ?? text
