// Decides whether a conversation that a client sends back is from outside [P2]. It is not if every other entry than the user's and the
// system's is an untainted answer to this key or in this thread, and the thread was never tainted.

import type { Said } from "../../core/run/event-parts.ts"
import { asSaid, markOf, underKey, underThread } from "../../core/run/protocol/given-answers.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { Call } from "../../http/middleware/call.ts"
import { addressAt } from "../../http/middleware/address.ts"

/** An entry, and its original texts if it was joined from several. */
export interface Heard extends Said {
  readonly pieces?: readonly string[]
}

const MAX_TEXTS = 400 // limit: texts of a conversation that are looked up → all of it counts as text from outside
/** A line with a signed link, which a question ends with. */
const LINK = /^\s*Answer here: (\S{1,4200})\s*$/gmu

export async function isFromOutside(
  c: Call,
  { flow, thread }: { readonly flow: string; readonly thread: string | undefined },
  conversation: readonly Heard[],
): Promise<boolean> {
  if (conversation.length === 0) return false
  const said = conversation.filter(({ role }) => role !== "user" && role !== "system")
  const plain = (text: string): string => asSaid(withoutLinks(c, text))
  // A message may be one answer, or a question and the answer that came after it.
  const entries = said.map(({ text, pieces = [] }) => ({ whole: plain(text), pieces: pieces.map(plain).filter((piece) => piece !== "") }))
  const texts = [...new Set(entries.flatMap(({ whole, pieces }) => [whole, ...pieces]))]
  if (texts.length > MAX_TEXTS) return true
  const { keyId, name, chat } = c.get("caller")
  // What another page of the same key was told is nothing that this one may find out.
  const key = chat === undefined ? (keyId ?? name) : undefined
  const wanted = await Promise.all(
    texts.map((text) =>
      Promise.all([
        ...(key === undefined ? [] : [sha256(underKey(key, text))]),
        ...(thread === undefined ? [] : [sha256(underThread(flow, thread, text))]),
      ]),
    ),
  )
  const mark = thread === undefined ? undefined : await sha256(markOf(flow, thread))
  const { runList, run } = c.get("tenant")
  const look = async () => {
    const { known, open } = await runList.given([...wanted.flat(), ...(mark === undefined ? [] : [mark])], { flow })
    const all = new Set(known)
    if (mark !== undefined && all.has(mark)) return { isKnown: false, open: [] }
    const given = new Set(texts.filter((_text, i) => wanted[i]?.some((digest) => all.has(digest)) === true))
    const isGiven = ({ whole, pieces }: (typeof entries)[number]): boolean =>
      given.has(whole) || whole === "" || (pieces.length > 0 && pieces.every((piece) => given.has(piece)))
    return { isKnown: entries.every(isGiven), open }
  }
  const first = await look()
  // A client may be faster than the report of a run that has answered it, or that has marked its thread.
  const unsure = first.open.filter((one) => !first.isKnown || (thread !== undefined && one.thread === thread))
  if (unsure.length === 0) return !first.isKnown
  await Promise.all(unsure.map(({ id }) => run(id).told()))
  return !(await look()).isKnown
}

/** Without the lines that a protocol adds to a question. */
const withoutLinks = (c: Call, text: string): string => {
  const own = addressAt(c, "/i/")
  return text.replace(LINK, (line, url: string) =>
    url.startsWith(own) && /^[A-Za-z0-9._~-]{16,4096}$/.test(url.slice(own.length)) ? "" : line,
  )
}
