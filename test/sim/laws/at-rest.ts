// What must hold when everything has come to rest.

import { checkJournal } from "../../crash/evidence.ts"
import type { Started, Story } from "../people/story.ts"

interface RunView {
  readonly id: string
  readonly status: string
}

const OVER: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"])

export async function restOf(story: Story): Promise<string[]> {
  const wrong: string[] = []
  const { admin, told } = story
  const rows = await admin.all<RunView & { task?: string }>("/v1/runs?limit=200")
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  for (const started of told.starts) {
    const answer = await admin.insist("GET", `/v1/runs/${started.id}`)
    const row = rowOf.get(started.id)
    if (told.deleted.has(started.id)) {
      if (answer.status !== 404) wrong.push(`${started.name} (${started.id}) was deleted and answers ${answer.status}`)
      if (row) wrong.push(`${started.name} (${started.id}) was deleted and is in the list`)
      continue
    }
    if (answer.status !== 200) {
      wrong.push(`[S1] ${started.name} (${started.id}) was answered 202 and is ${answer.status}`)
      continue
    }
    const run = JSON.parse(answer.text) as RunView
    if (!row) wrong.push(`[H6] ${started.name} (${started.id}) is ${run.status} and not in the list`)
    else if (row.status !== run.status) wrong.push(`[H6] ${started.name} (${started.id}) is ${run.status}, the list says ${row.status}`)
    if (!isAtRest(started, run, story)) wrong.push(`[S16] ${started.name} of ${started.flow} (${started.id}) stays ${run.status}`)
    if (OVER.has(run.status)) for (const { fault } of checkJournal(started.name, await journalOf(story, started.id))) if (fault) wrong.push(fault)
    if (told.canceled.has(started.id) && !OVER.has(run.status)) wrong.push(`[H5] ${started.name} was canceled and is ${run.status}`)
    if (started.hasCallback && OVER.has(run.status)) wrong.push(...callbacksOf(started, run, story))
  }
  const twice = repeated(rows.flatMap(({ task }) => (task === undefined || told.repeats.has(task) ? [] : [task])))
  if (twice !== undefined) wrong.push(`[S13] two runs have the task ${twice}`)
  return [...wrong, ...booksOf(story)]
}

/** Runs that wait for what never comes are at rest: a signal that nobody sent. */
const isAtRest = ({ flow, id }: Started, { status }: RunView, { told }: Story): boolean =>
  OVER.has(status) || (flow === "heed" && status === "waiting" && !told.signaled.has(id))

const journalOf = async ({ life }: Story, id: string): Promise<readonly unknown[]> =>
  (await life.journal(id)).map((event) => JSON.parse(event) as unknown)

function callbacksOf({ id, name }: Started, { status }: RunView, { world }: Story): string[] {
  const own = world.services.messages.filter((it) => it.run === id && it.path === "/callback")
  const ends = own.filter((it) => it.type === `run.${status}`)
  const wrong: string[] = []
  if (!ends.some((it) => it.isTaken)) wrong.push(`[W6] nobody was told that ${name} (${id}) ${status}`)
  if (new Set(ends.map((it) => it.id)).size > 1) wrong.push(`[W6] the end of ${name} (${id}) has several webhook-ids`)
  return wrong
}

/** What reached the services of the world. */
function booksOf({ world, tenant, told }: Story): string[] {
  const wrong: string[] = []
  const isRepeated = (body: string): boolean => [...told.repeats].some((name) => body.includes(name))
  const own = world.services.arrivals.filter((it) => it.body.includes(`case-${tenant}-`) && !isRepeated(it.body))
  const plain = repeated(own.filter((it) => it.path.startsWith("/plain/")).map((it) => it.body))
  if (plain !== undefined) wrong.push(`[S3] ${plain} was sent twice, without a key`)
  const keys = new Map<string, Set<string>>()
  for (const { key, path, body } of own) if (path.startsWith("/keyed/")) keys.set(body, (keys.get(body) ?? new Set()).add(key))
  for (const [body, used] of keys) if (used.size > 1) wrong.push(`[S3] ${body} was sent with ${used.size} keys`)
  for (const it of [...world.models.strange, ...world.services.strange]) wrong.push(`a service of the world was sent nonsense: ${it}`)
  return wrong
}

function repeated(all: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return all.find((it) => seen.size === seen.add(it).size)
}
