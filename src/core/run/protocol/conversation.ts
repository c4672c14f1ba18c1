// Keeps the conversation before the message that starts a run [P2]: its newest part, verbatim, placed where the flow wants it, or before
// the message in the task.

import { references } from "../../flow/template.ts"
import type { Flow } from "../../flow/flow.ts"
import { utf8Length } from "../../text/utf8.ts"
import type { Said } from "../event-parts.ts"

/** Limit: entries of a conversation that a run keeps → the oldest are left out. */
export const MAX_SAID = 200
/** Limit: bytes of a conversation that a run keeps → the oldest are left out. */
export const MAX_CONVERSATION_BYTES = 128 * 1024

/** The newest entries that fit. The first entry that does not fit ends the list, because a conversation with a gap would mislead. */
export function conversationOf<Entry extends Said>(all: readonly Entry[]): Entry[] {
  const kept: Entry[] = []
  let bytes = 0
  for (const said of all.slice(-MAX_SAID).reverse()) {
    bytes += utf8Length(said.text)
    if (bytes > MAX_CONVERSATION_BYTES) break
    kept.push(said)
  }
  return kept.reverse()
}

/** The value of `${{conversation}}`: one block per entry. */
export const conversationText = (conversation: readonly Said[]): string =>
  conversation.map(({ role, text }) => `${role}: ${text}`).join("\n\n")

/** The task of a run that a message starts. A flow that remembers earlier messages gets only the message. */
export function taskOf(remembers: boolean, conversation: readonly Said[], message: string): string {
  if (conversation.length === 0 || remembers) return message
  return `Conversation so far:\n\n${conversationText(conversation)}\n\nNow:\n\n${message}`
}

/** Tells whether the flow places the conversation itself, or has an agent that remembers earlier messages [J25]. */
export function remembers(flow: Flow): boolean {
  const known = remembering.get(flow)
  if (known !== undefined) return known
  const found = looksBack(flow)
  remembering.set(flow, found)
  return found
}

/** A flow is read once and started many times. */
const remembering = new WeakMap<Flow, boolean>()

function looksBack(flow: Flow): boolean {
  const open: unknown[] = [flow.steps, flow.outputs]
  for (let next = open.pop(); next !== undefined || open.length > 0; next = open.pop()) {
    if (typeof next === "string") {
      if (next.includes("conversation") && references(next).some(({ ref }) => ref?.root === "conversation")) return true
    } else if (typeof next === "object" && next !== null) {
      if ("session" in next && typeof next.session === "string" && "type" in next) return true
      open.push(...(Object.values(next) as unknown[]))
    }
  }
  return false
}
