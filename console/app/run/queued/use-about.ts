// Says about when a run that waits for a key begins, by what runs of its flow took lately.

import { aboutWhen, aboutWords, usualOf } from "../../../../web/start/about-when.ts"
import { useAsked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"
import type { Line } from "./read-line.ts"

/** Runs that are looked at. */
const LAST = 9

export function useAbout(api: Api, flow: string, line: Line | undefined, now: number): string | undefined {
  const wait = line?.view.waiting
  const isKey = wait?.reason === "concurrency"
  const took = useAsked(["once", "took", flow, isKey], async () => (isKey ? tookLately(api, flow) : []))
  const usual = usualOf(took.value ?? [])
  const limit = line?.own?.concurrency?.limit
  if (usual === undefined || limit === undefined || line === undefined || !isKey || !("ahead" in wait)) return undefined
  const atWork = line.line.flatMap((start) => {
    const row = start.state === "running" ? line.rows.get(start.run) : undefined
    return row === undefined ? [] : [now - Date.parse(row.created)]
  })
  return aboutWords(aboutWhen({ ahead: wait.ahead ?? 0, limit, atWork }, usual))
}

/** Without the time in which they waited to begin. */
async function tookLately(api: Api, flow: string): Promise<readonly number[]> {
  const { data } = await api.runs.list({ flow, status: ["succeeded"], limit: LAST }).page()
  const views = await Promise.all(data.map(({ id }) => api.runs.get(id)))
  return views.flatMap(({ ended, created, start }) =>
    ended === undefined ? [] : [Date.parse(ended) - (start?.began ?? Date.parse(created))],
  )
}
