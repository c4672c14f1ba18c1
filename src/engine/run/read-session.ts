// Reads a page of a sticky session's conversation [J25], oldest first: the saved parts from the reader's place on, read a few at a time
// until the page is full. A use that has not ended yet is not saved yet.

import { sessionMessages, type SessionMessage } from "../../core/run/session/session-messages.ts"
import type { Conversation, ConversationPlace } from "../../ports/tenant/sessions.ts"
import { chunkAt, type StickyDeps } from "./sticky-session.ts"

/** Each body is read from storage, and few connections may be open at once [J16]. */
const AT_ONCE = 4 // limit: parts of a session's conversation that are read at once → the others wait
const PAGE_CHARS = 1_048_576 // limit: characters of a page of a session's conversation → the page ends, and its cursor continues

export async function readSession(
  { sessions, blobs }: StickyDeps,
  agent: string,
  id: string,
  { part, index, limit }: ConversationPlace,
): Promise<Conversation | undefined> {
  // A part has at least one message.
  const found = await sessions.parts(agent, id, part - 1, limit + 1)
  if (!found) return undefined
  const { session, parts } = found
  const data: SessionMessage[] = []
  const unreadable: number[] = []
  let chars = 0
  for (let n = 0; n < parts.length; n += AT_ONCE) {
    const read = await Promise.all(parts.slice(n, n + AT_ONCE).map(async (p) => ({ ...p, chunk: await chunkAt(blobs, p.hash) })))
    for (const { seq, at, chunk } of read) {
      if (!chunk) unreadable.push(seq)
      const messages = chunk ? sessionMessages(chunk, seq, at) : []
      for (let i = seq === part ? index : 0; i < messages.length; i++) {
        const message = messages[i]
        if (message === undefined) continue
        if (data.length === limit || chars >= PAGE_CHARS) return { session, data, unreadable, next: { part: seq, index: i } }
        data.push(message)
        chars += JSON.stringify(message).length
      }
    }
  }
  return { session, data, unreadable, next: parts.length > limit ? { part: (parts.at(-1)?.seq ?? 0) + 1, index: 0 } : null }
}
