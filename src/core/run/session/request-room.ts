// Limits the pictures and PDFs that one request shows [F56]: the newest within the limits that every provider accepts, and each file once,
// at its first place. Deterministic, so that a repeated turn sends the same request [J21].

import type { Attachment, ContentPart } from "../event-parts.ts"
import { leftOut, MAX_ATTACHED, MAX_ATTACHED_BYTES, sameAsAbove } from "./files/attachment.ts"
import type { Turn } from "./conversation.ts"

/** Replaces each file that is not shown, and each older image from a tool, with a sentence. */
export function withinRoom(turns: readonly Turn[]): readonly Turn[] {
  const room = roomOf(turns)
  const above = new Set<string>()
  const sentenceFor = (file: Attachment): string | undefined => {
    if (!room.hashes.has(file.hash)) return leftOut(file)
    if (above.has(file.hash)) return sameAsAbove(file)
    above.add(file.hash)
    return undefined
  }
  return turns.map((turn): Turn => {
    if (turn.role === "assistant") return turn
    const { attached = [], ...rest } = turn
    const told = attached.map((file) => ({ file, sentence: sentenceFor(file) }))
    const kept = told.flatMap(({ file, sentence }) => (sentence === undefined ? [file] : []))
    const sentences = told.flatMap(({ sentence }) => (sentence === undefined ? [] : [sentence]))
    const shown = kept.length === 0 ? {} : { attached: kept }
    if (rest.role === "user") return sentences.length === 0 ? turn : { ...rest, text: [rest.text, ...sentences].join("\n\n"), ...shown }
    const content = rest.content.map((part) => (part.type === "text" || room.images.has(part) ? part : said(IMAGE_LEFT_OUT)))
    if (sentences.length === 0 && content.every((part, i) => part === rest.content[i])) return turn
    return { ...rest, content: [...content, ...sentences.map(said)], ...shown }
  })
}

/** What has room, from the newest on. */
function roomOf(turns: readonly Turn[]): { readonly hashes: ReadonlySet<string>; readonly images: ReadonlySet<ContentPart> } {
  const hashes = new Set<string>()
  const images = new Set<ContentPart>()
  let count = 0
  let bytes = 0
  const fits = (size: number): boolean => {
    count += 1
    bytes += size
    return count <= MAX_ATTACHED && bytes <= MAX_ATTACHED_BYTES
  }
  for (const turn of turns.toReversed()) {
    if (turn.role === "assistant") continue
    for (const { hash, size } of (turn.attached ?? []).toReversed()) if (!hashes.has(hash) && fits(size)) hashes.add(hash)
    if (turn.role === "user") continue
    for (const part of turn.content.toReversed()) if (part.type === "image" && fits(Math.ceil((part.data.length * 3) / 4))) images.add(part)
  }
  return { hashes, images }
}

const said = (text: string): ContentPart => ({ type: "text", text })
const IMAGE_LEFT_OUT = "[an image was shown here and is left out now, to make room]"
