// [H6], [H5], [Q2] The list, its counts, the inbox and the index of decisions say what the journals say; and none has a run that is not there.

import type { Journal } from "./journals.ts"
import type { Rest } from "./rest.ts"

interface Row {
  readonly id: string
  readonly flow: string
  readonly status: string
  readonly ended: number | null
  readonly pending: number | null
  readonly bytes: number | null
}

const shownOf = ({ standing: { status, reason } }: Journal): string => (status === "waiting" && reason === "child" ? "running" : status)

export async function listedOf(rest: Rest): Promise<string[]> {
  const { admin } = rest.story
  const wrong: string[] = []
  const list = await admin.all<{ id: string; status: string }>("/v1/runs?limit=200")
  const rows = new Map(
    rest
      .rows<Row>(
        "run",
        "SELECT id, flow, status, ended, json_extract(view, '$.pending') AS pending, json_extract(view, '$.bytes') AS bytes FROM run",
      )
      .map((row) => [row.id, row]),
  )
  const { own } = rest
  for (const journal of own) {
    const { run, standing } = journal
    const row = rows.get(run)
    if (!row) {
      wrong.push(`[H6] ${run} is ${standing.status} and not in the list`)
      continue
    }
    if (row.status !== shownOf(journal)) wrong.push(`[H6] ${run} is ${shownOf(journal)}, the list says ${row.status}`)
    if ((row.ended ?? undefined) !== standing.ended?.at)
      wrong.push(`[H6] ${run} ended at ${standing.ended?.at}, the list says ${row.ended}`)
    if (standing.isOver && !row.bytes) wrong.push(`[H6] ${run} is over, and the list does not say how much it stores`)
    if ((row.pending ?? 0) !== standing.open.size) wrong.push(`[Q2] ${run} asks ${standing.open.size}, the list says ${row.pending}`)
  }
  const there = new Set(own.map(({ run }) => run))
  const { runs } = rest.service
  for (const { id, status } of rows.values()) {
    if (there.has(id)) continue
    const isHeld = status === "queued" && runs.objects.get(`${rest.tenant}/${id}`)?.storage.kv.get("held") !== undefined
    if (!isHeld) wrong.push(`[H6] the list has ${id} (${status}), and there is no such run`)
  }
  const shown = new Set(list.map(({ id }) => id))
  for (const { id, status } of list)
    if (rows.get(id)?.status !== status) wrong.push(`[H5] GET /v1/runs shows ${id} as ${status}, its row is ${rows.get(id)?.status}`)
  for (const { run, standing } of own)
    if (standing.started?.parent === undefined && !shown.has(run)) wrong.push(`[H5] GET /v1/runs does not show ${run}`)
  return [...wrong, ...(await countsOf(rest, rows, there))]
}

async function countsOf({ story: { admin }, own }: Rest, rows: ReadonlyMap<string, Row>, there: ReadonlySet<string>): Promise<string[]> {
  const wrong: string[] = []
  for (const by of ["status", "flow"] as const) {
    const { data } = await admin.get<{ data: { key: string; count: number }[] }>("GET", `/v1/runs/counts?by=${by}`)
    const expected = new Map<string, number>()
    const count = (name: string): void => void expected.set(name, (expected.get(name) ?? 0) + 1)
    for (const journal of own)
      if (journal.standing.started?.parent === undefined) count(by === "status" ? shownOf(journal) : (journal.standing.started?.flow ?? ""))
    // Starts that wait for room.
    for (const row of rows.values()) if (row.status === "queued" && !there.has(row.id)) count(by === "status" ? row.status : row.flow)
    const said = new Map(data.map(({ key, count: n }) => [key, n]))
    for (const name of new Set([...said.keys(), ...expected.keys()]))
      if (said.get(name) !== expected.get(name))
        wrong.push(`[H5] counts by ${by} say ${said.get(name)} of ${name}, there are ${expected.get(name)}`)
  }
  return wrong
}

/** Questions that are open are in the inbox, each once, and no others; those that were answered are decisions. */
export async function inboxOf(rest: Rest): Promise<string[]> {
  const inbox = await rest.story.admin.all<{ id: string; run?: string }>("/v1/interactions")
  const said = inbox.map(({ id, run }) => `${run}/${id}`)
  const open = new Set(rest.own.flatMap(({ run, standing }) => [...standing.open.keys()].map((id) => `${run}/${id}`)))
  const wrong = [...open].filter((it) => !said.includes(it)).map((it) => `[Q2] ${it} is open and not in the inbox`)
  for (const it of said) if (!open.has(it)) wrong.push(`[Q2] the inbox has ${it}, which is not open`)
  if (new Set(said).size !== said.length) wrong.push("[Q2] the inbox has a question twice")
  const decided = new Set(
    rest.rows<{ run: string; id: string }>("decided", "SELECT run, id FROM decided").map(({ run, id }) => `${run}/${id}`),
  )
  for (const { run, events } of rest.own)
    for (const e of events)
      if (e.type === "interaction.answered" && !decided.has(`${run}/${e.id}`))
        wrong.push(`[H5] ${run}/${e.id} was answered, and is not among the decisions`)
  return wrong
}
