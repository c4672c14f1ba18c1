// [N9] The collector has the spans of each run that has ended, unless it is still to be tried, or was tried too often.

import type { Rest } from "./rest.ts"
import { traceDueOf } from "./run-alarm.ts"

/** After a try that was due. */
const MEANWHILE_MS = 60_000

export function tracedOf({ own, service, tenant, story }: Rest): string[] {
  if (!service.isTraced) return []
  const { spans } = story.world.services
  const now = service.border.wall()
  return own
    .filter(({ standing }) => standing.isOver)
    .flatMap(({ run }) => {
      const due = traceDueOf(service.runs.objects.get(`${tenant}/${run}`)?.storage.kv.get("traces"))
      if (due !== undefined && due < now - MEANWHILE_MS)
        return [`[N9] the trace of ${run} was to be sent ${Math.round((now - due) / 1000)} s ago`]
      const isThere = due !== undefined || spans.some((it) => it.includes(run)) || service.faults.on.includes("server error")
      return isThere ? [] : [`[N9] the trace of ${run} counts as sent, and the collector does not have it`]
    })
}
