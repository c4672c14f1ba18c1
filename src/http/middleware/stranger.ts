// Recognizes callers from outside [G11]: holders of a token for pages, who are unknown to the tenant.

import type { Origin } from "../../core/flow/origin.ts"
import type { Call } from "./call.ts"

/** Tells whether the caller's texts come from outside. Only the token's creator may declare them `trusted`, never its holder. */
export function isStranger(c: Call, origin: Origin): boolean {
  const { chat, view, trusted } = c.get("caller")
  if (chat) return chat.trusted?.includes(origin) !== true
  return view === "public" && trusted?.includes(origin) !== true
}

/** Marks answers from outside for the ports that take answers. */
export const answersOutside = (c: Call): true | undefined => (isStranger(c, "answers") ? true : undefined)
