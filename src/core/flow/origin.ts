// Names where what a run is given comes from, if not from the tenant itself [G11]. Each of these marks the run, or the session that reads
// it, unless a start's body, the flow or the token at its making says that it is trusted; whoever says the words may not say so.

import { z } from "zod"

export const ORIGINS = ["history", "attachments", "message", "answers"] as const
export const Origin = z.enum(ORIGINS)
export type Origin = z.infer<typeof Origin>

const WHAT: Readonly<Record<Origin, string>> = {
  history: "the conversation that the client sent back, which has an answer that was not given here untainted",
  attachments: "the message's attachments: their content, names and addresses",
  message: "what the holder of a chat token said",
  answers: "what the holder of a token answered",
}

/** How whoever starts the run says that these need no question. */
const HOW: Readonly<Record<Origin, string>> = {
  history: "a start's body (at a door: `sluice`) or the flow",
  attachments: "a start's body (at a door: `sluice`), the flow or the chat token at its making",
  message: "the flow or the chat token at its making",
  answers: "a start's body (at a door: `sluice`), the flow or the token at its making",
}

/** For the person who is asked: what came from outside, and how it is declared to be trusted. */
export const whyOutside = (origins: readonly Origin[]): string =>
  origins
    .map((origin) => `From outside is ${WHAT[origin]}. If that is the tenant's own, ${HOW[origin]} says \`trusted: [${origin}]\`.`)
    .join(" ")

/** In the order of the list, each once. */
export const originsOf = (given: Iterable<Origin>): Origin[] => {
  const all = new Set(given)
  return ORIGINS.filter((origin) => all.has(origin))
}
