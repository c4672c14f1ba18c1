// [W6] Whoever must hear of a run has heard: each notice has reached its receiver as one message, under one id.

import { CALLBACK } from "../world/catalog.ts"
import { OVER, type Rest } from "./rest.ts"
import type { Journal } from "./journals.ts"

/** The door of receivers that a start names. */
const CALLBACK_PATH = new URL(CALLBACK.url).pathname

export function noticesOf(rest: Rest): string[] {
  const wrong: string[] = []
  const { services } = rest.story.world
  for (const { id, name, hasCallback } of rest.story.told.starts) {
    if (!hasCallback || rest.isDeleted(id)) continue
    const journal = rest.journals.of(rest.tenant, id)
    if (!journal || comesLater(rest, id)) continue
    const own = services.messages.filter(
      (it) => it.run === id && ((it as { readonly path?: string }).path ?? CALLBACK_PATH) === CALLBACK_PATH,
    )
    const { status } = journal.standing
    if (OVER.has(status)) {
      const ends = own.filter((it) => it.type === `run.${status}`)
      if (!ends.some((it) => it.isTaken)) wrong.push(`[W6] nobody was told that ${name} (${id}) ${status}`)
      if (new Set(ends.map((it) => it.id)).size > 1) wrong.push(`[W6] the end of ${name} (${id}) has several webhook-ids`)
      if (own.some((it) => it.type !== `run.${status}` && it.type !== "run.waiting"))
        wrong.push(`[W6] ${name} (${id}) was said to have ended otherwise`)
    }
    wrong.push(...waitsOf(journal, name, own))
  }
  return [...wrong, ...deadOf(rest)]
}

/** What a receiver has taken is not sent until nobody tries any more; and if no answer can have been lost, it is not sent again. */
function deadOf(rest: Rest): string[] {
  const { messages, calmFrom } = rest.story.world.services
  const taken = new Set(messages.filter((it) => it.isTaken).map(({ id }) => id))
  const heard = new Set(messages.filter((it) => it.isTaken && it.at > calmFrom + ON_ITS_WAY_MS).map(({ id }) => id))
  return rest
    .rows<{ id: string; run: string; status: string }>(
      "callback_message",
      "SELECT id, run, status FROM callback_message WHERE status IN ('dead', 'pending')",
    )
    .filter(({ id, status }) => (status === "dead" ? taken : heard).has(id))
    .map(({ id, run, status }) => `[W6] the message ${id} of ${run} was taken, and counts as one that ${status === "dead" ? "never was" : "was not"}`)
}
/** What was sent in the storm has arrived by then. */
const ON_ITS_WAY_MS = 60_000

/** After some failed tries the next one is half an hour ahead. */
const comesLater = (rest: Rest, run: string): boolean =>
  rest.rows(
    "callback_message",
    "SELECT 1 FROM callback_message WHERE run = ? AND callback IS NULL AND status = 'pending' AND tries > 0 AND due > ?",
    run,
    rest.service.border.wall(),
  ).length > 0

/** Of each time that it began to wait for a person. */
function waitsOf({ run, events, standing }: Journal, name: string, messages: Rest["story"]["world"]["services"]["messages"]): string[] {
  const waits = events.filter((e) => e.type === "run.waiting" && (e.reason === "interaction" || e.reason === "child_interaction"))
  const heard = messages.filter((it) => it.type === "run.waiting")
  const ids = new Set(heard.map((it) => it.id))
  const wrong: string[] = []
  if (ids.size !== waits.length)
    wrong.push(`[W6] ${name} (${run}) waited ${waits.length} times for people, and ${ids.size} messages say so`)
  for (const id of ids)
    if (!heard.some((it) => it.id === id && it.isTaken)) wrong.push(`[W6] a message of ${name} (${run}) was never taken`)
  // What the run asks now is what its newest message says.
  const [oldest] = standing.open.keys()
  const said = heard.map((it) => (JSON.parse(it.body) as { data?: { interaction?: { id?: string } } }).data?.interaction?.id)
  if (oldest !== undefined && !said.includes(oldest)) wrong.push(`[W6] ${name} (${run}) asks ${oldest}, and no message has named it`)
  return wrong
}
