// [S6], [E4], [F18] What readers read is what is stored: the events of a run to the byte, and its view is what the journal folds to [S5].

import { runView } from "../../../src/core/run/views/view.ts"
import { breaches } from "../../support/kernel/laws.ts"
import { detours } from "../../support/kernel/course-laws.ts"
import type { Rest } from "./rest.ts"

export async function readersOf(rest: Rest): Promise<string[]> {
  const wrong: string[] = []
  for (const { id, name } of rest.story.told.starts) {
    const path = `/v1/runs/${id}`
    const answer = await rest.story.admin.insist("GET", path)
    if (rest.isDeleted(id)) {
      if (answer.status !== 404) wrong.push(`[H5] ${name} (${id}) was deleted and answers ${answer.status}`)
      continue
    }
    const journal = rest.journals.of(rest.tenant, id)
    if (answer.status !== 200) {
      wrong.push(`[S1] ${name} (${id}) was answered 202 and is ${answer.status}`)
      continue
    }
    if (!journal) continue
    const shown = runView(await rest.folded(journal))
    const differs = differenceOf(JSON.parse(JSON.stringify(shown)), JSON.parse(answer.text))
    if (differs !== undefined) wrong.push(`[S5] the view of ${name} (${id}) is not what its journal says: ${differs}`)
    const events = await eventsOf(rest, path)
    // What follows the end is the postscript, which readers of events do not get [K34].
    const stored = journal.texts.slice(0, journal.standing.ended?.seq)
    const at = stored.findIndex((text, i) => text !== events[i])
    if (at >= 0 || events.length !== stored.length) wrong.push(`[S6] readers of ${name} (${id}) get another event ${at < 0 ? events.length : at + 1}`)
  }
  return wrong
}

/** [S2], [J11], [F11–F19] The laws of the kernel's own tests, with the run's plan. */
export async function kernelOf(rest: Rest): Promise<string[]> {
  const wrong: string[] = []
  for (const journal of [...rest.own, ...rest.journals.former.filter(({ tenant }) => tenant === rest.tenant)]) {
    const { events, run, standing } = journal
    // A run that could not start has no plan.
    if (!standing.isOver || events.some((e) => e.type === "run.forked") || standing.ended?.error?.source === "config") continue
    const { plan } = await rest.folded(journal)
    const own = events.slice(0, standing.ended?.seq)
    for (const fault of [...breaches(plan, own), ...detours(plan, own)]) wrong.push(`${run} event ${fault}`)
  }
  return wrong
}

async function eventsOf({ story: { admin } }: Rest, path: string): Promise<string[]> {
  const found: string[] = []
  for (let next: unknown = 0; typeof next === "number"; ) {
    const page: { data: unknown[]; next?: unknown } = await admin.get("GET", `${path}/events?limit=1000&after=${next}`)
    found.push(...page.data.map((e) => JSON.stringify(e)))
    next = page.data.length < 1000 ? undefined : page.next
  }
  return found
}

/** The first member that differs. */
export function differenceOf(a: unknown, b: unknown, at = ""): string | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return undefined
  const isParted = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null
  if (!isParted(a) || !isParted(b)) return `${at} is ${JSON.stringify(b)?.slice(0, 120)}, not ${JSON.stringify(a)?.slice(0, 120)}`
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = differenceOf(a[name], b[name], `${at}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

