// Recognizes callers from outside [G11]: the holder of a token for pages, whom nobody at the tenant knows.

import type { Origin } from "../../core/flow/origin.ts"
import type { Call } from "./call.ts"

/** Whether what the caller says is text from outside. The token may have been made with `trusted`; its holder may not say so. */
export function isStranger(c: Call, origin: Origin): boolean {
  const { chat, view, trusted } = c.get("caller")
  if (chat) return chat.trusted?.includes(origin) !== true
  return view === "public" && trusted?.includes(origin) !== true
}

/** For the ports that take answers. */
export const answersOutside = (c: Call): true | undefined => (isStranger(c, "answers") ? true : undefined)
