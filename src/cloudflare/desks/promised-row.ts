// Builds the row of a run that is about to start [H5]: it is in the list before the start is answered, so a run need not report that it has
// begun. The run's first report replaces it, and a row that no report has replaced is deleted with the run's place.

import { defined } from "../../core/defined.ts"
import { effectsMode } from "../../core/tool/policy/effects-mode.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { sessionOfThread } from "../../core/run/thread.ts"
import type { PinResult, PromisedRow } from "../../ports/tenant/catalog.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"
import { sha256 } from "../platform/sha256.ts"

/** The row of a run that has only begun. `row`: without the tenant's secrets. */
export function promisedRow(
  { flow, pins, rehearsed, rules, tenancy }: Extract<PinResult, { ok: true }>,
  run: string,
  { trigger, tags = [], thread, session, effects }: PromisedRow,
  now: number,
): ListedRun {
  const at = isoTime(now)
  const own = session ?? (thread === undefined ? undefined : sessionOfThread(thread, sha256))
  return {
    id: run,
    flow: flow.id,
    status: "running",
    created: now,
    ...defined({ tenancy }),
    view: {
      id: run,
      flow: flow.id,
      thread: thread ?? run,
      status: "running",
      created: at,
      since: at,
      usage: { tokens: 0, usd: null, tool_calls: 0 },
      pending: 0,
      rehearsed,
      revision: pins.revision,
      effects: effectsMode(rules?.policy, [flow.id, ...Object.keys(pins.flows ?? {})], effects ?? "live"),
      trigger: JSON.parse(JSON.stringify(trigger)),
      tags: [...tags],
      seq: 0,
      children: [],
      ...defined({ session: own }),
    },
  }
}
