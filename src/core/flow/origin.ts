// Lists the sources of input that is not the tenant's own [G11]. Each marks the run, or the session that reads it, as tainted, unless the
// body of the start, the flow or the token declares it trusted. The sender of the input cannot declare that.

import { z } from "zod"

export const ORIGINS = ["history", "attachments", "message", "answers"] as const
export const Origin = z.enum(ORIGINS)
export type Origin = z.infer<typeof Origin>

const WHAT: Readonly<Record<Origin, string>> = {
  history: "the conversation that the client sent back, which has an answer that no untainted run gave here",
  attachments: "the message's attachments: their content, names and addresses",
  message: "what the holder of a chat token said",
  answers: "what the holder of a token answered",
}

/** How whoever starts the run says that these need no question. */
const HOW: Readonly<Record<Origin, string>> = {
  history: "a start's body (of another protocol: in `sluice`) or the flow",
  attachments: "a start's body (of another protocol: in `sluice`), the flow or the chat token at its making",
  message: "the flow or the chat token at its making",
  answers: "a start's body (of another protocol: in `sluice`), the flow or the token at its making",
}

/** The explanation for the person who is asked: what came from outside, and how to declare it trusted. */
export const whyOutside = (origins: readonly Origin[]): string =>
  origins
    .map((origin) => `From outside is ${WHAT[origin]}. If that is the tenant's own, ${HOW[origin]} says \`trusted: [${origin}]\`.`)
    .join(" ")

/** The distinct origins, in the order of the list. */
export const originsOf = (given: Iterable<Origin>): Origin[] => {
  const all = new Set(given)
  return ORIGINS.filter((origin) => all.has(origin))
}
