// Prepares a tool's result for the model and the journal: checks its shape, cuts its length [T5], turns faults into text [A4].

import { defined } from "../../../core/defined.ts"
import type { Json } from "../../../core/json.ts"
import { isObject } from "../../../core/json.ts"
import { ContentPart, type Truncated } from "../../../core/run/event-parts.ts"
import { MAX_ATTACHED } from "../../../core/run/session/files/attachment.ts"
import { OUTPUT_LIMITS, truncate, truncationNotice, type TruncateLimits } from "../../../core/text/truncate.ts"
import { utf8Length } from "../../../core/text/utf8.ts"
import { Breath } from "../../../ports/breath.ts"

export interface Raw {
  readonly isError: boolean
  readonly content: readonly ContentPart[]
  readonly details?: Json
  /** The source of outside text. `untrusted`: this result is outside text; `private`: it is private to the tenant [G11]. */
  readonly source?: string
  readonly untrusted?: boolean
  readonly private?: boolean
  /** [F56] Paths of files to show with the result. */
  readonly shows?: readonly string[]
  /** The call did not end by itself: its time was over, or it was canceled. */
  readonly stopped?: true
}

/** `details` and images are in the same journal row as the text, and a row stays under 1 MiB [J20]. Larger ones are left out. */
const MAX_DETAILS_BYTES = 64 * 1024 // limit: bytes of a result's details → they are left out, with their size
const MAX_IMAGE_CHARS = 256 * 1024 // limit: base64 characters of an image → a sentence replaces it
const MAX_IMAGES_CHARS = 512 * 1024 // limit: base64 characters of a result's images → a sentence replaces it
/** [F26] No model reads what a step asked for itself: it is whole, so that templates and handlers can take it apart. */
const MAX_OWN_BYTES = 256 * 1024 // limit: bytes of a result that a step asked for itself → the rest is cut, and it has no data
export const OWN_LIMITS: TruncateLimits = { bytes: MAX_OWN_BYTES, lines: Number.MAX_SAFE_INTEGER }
const MAX_PARTS = 1_000 // limit: parts of a result → the tool fails
const MAX_MEDIA_TYPE = 200 // limit: characters of an image's media type → the tool fails

/** A failed call has empty details [A4]. */
export const failed = (message: string): Raw => ({ isError: true, content: [{ type: "text", text: message }], details: {} })

/** A tool may come from any source: an invalid result is a failed call, and never breaks the journal. */
export function checked(tool: string, result: unknown): Raw {
  if (!isObject(result) || !Array.isArray(result["content"]))
    return failed(`${tool} answered something that is not a tool result: it must be { content: [{ type: "text", text: "…" }] }`)
  const parts: readonly unknown[] = result["content"]
  if (parts.length > MAX_PARTS) return failed(`${tool} answered ${parts.length} parts of content; at most ${MAX_PARTS} are allowed`)
  const content: ContentPart[] = []
  for (const part of parts) {
    const read = ContentPart.safeParse(part)
    if (!read.success || (read.data.type === "image" && read.data.mimeType.length > MAX_MEDIA_TYPE))
      return failed(`${tool} answered content that is neither text nor an image`)
    content.push(read.data)
  }
  // Some providers refuse an empty tool message.
  if (content.every((part) => part.type === "text" && part.text === ""))
    content.splice(0, content.length, { type: "text", text: "[no output]" })
  const details = result["details"] === undefined ? undefined : asJson(result["details"])
  const { source, untrusted, shows } = result
  return {
    isError: false,
    content,
    ...defined({ details }),
    ...(typeof source === "string" ? { source } : {}),
    ...(untrusted === true ? { untrusted } : {}),
    ...(result["private"] === true ? { private: true } : {}),
    ...(Array.isArray(shows) ? { shows: shows.filter((path) => typeof path === "string").slice(0, MAX_ATTACHED) } : {}),
  }
}

/** Joins all text. Text that is too long is cut and stored in full, and a notice says how the model can read it. */
export async function cutContent(
  content: readonly ContentPart[],
  kept: "head" | "tail",
  keep: (text: string) => Promise<string>,
  limits: TruncateLimits = OUTPUT_LIMITS,
): Promise<{ readonly content: readonly ContentPart[]; readonly truncated?: Truncated }> {
  const parts = smallImages(content)
  const whole = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  const cut = await new Breath().through(truncate(whole, kept, limits))
  if (!cut.cut) return { content: parts }

  const { totalBytes, totalLines, outputBytes, outputLines } = cut
  const hidden = totalBytes - outputBytes
  const handle = await keep(whole).catch(() => undefined)
  const notice = handle === undefined ? `[${hidden} bytes hidden; the whole output could not be stored]` : truncationNotice(hidden, handle)
  const text = kept === "head" ? `${cut.text}${cut.text.endsWith("\n") ? "" : "\n"}${notice}` : `${notice}\n${cut.text}`
  return {
    content: [{ type: "text", text }, ...parts.filter((part) => part.type === "image")],
    ...(handle === undefined ? {} : { truncated: { handle, totalBytes, totalLines, outputBytes, outputLines, kept } }),
  }
}

export function smallDetails(details: Json): Json {
  const bytes = utf8Length(JSON.stringify(details))
  return bytes <= MAX_DETAILS_BYTES ? details : { omitted: `${bytes} bytes of details` }
}

/** An image that is too large, alone or with those before it, becomes a text that says so. */
function smallImages(content: readonly ContentPart[]): ContentPart[] {
  let left = MAX_IMAGES_CHARS
  return content.map((part) => {
    if (part.type === "text") return part
    const size = part.data.length
    const most = size > MAX_IMAGE_CHARS ? `${MAX_IMAGE_CHARS} are the most` : `${MAX_IMAGES_CHARS} are the most together`
    if (size > MAX_IMAGE_CHARS || size > left) return { type: "text", text: `[an image of ${size} base64 characters is left out: ${most}]` }
    left -= size
    return part
  })
}

/** The value as JSON; undefined: it has no JSON form (circular, a function). */
function asJson(value: unknown): Json | undefined {
  try {
    const text: string | undefined = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Handles any thrown value, even one that throws again when it is read. */
export function thrownMessage(fault: unknown): string {
  try {
    const message =
      fault instanceof Error ? fault.message : typeof fault === "string" ? fault : isObject(fault) ? fault["message"] : undefined
    return typeof message === "string" ? message : ""
  } catch {
    return ""
  }
}
