// Reads which runs wait for a signal: a person may send it in place of the system that would.

import { useAsked } from "../../parts/asked.ts"
import type { Row } from "../../runs/row.ts"
import type { Api } from "../../shell/session.ts"

/** How often they are read without a stream, and with one, which tells of runs. */
const [LOOK_MS, SLOW_MS] = [10_000, 120_000]
/** Waiting runs that are looked through. */
const MAX_RUNS = 200

export interface AwaitedSignal {
  readonly row: Row
  readonly signal: string
}

export function useSignals(api: Api): readonly AwaitedSignal[] {
  const { value = [] } = useAsked(
    ["runs", "signals"],
    async () => {
      const { data } = await api.runs.list({ status: ["waiting"], limit: MAX_RUNS }).page()
      return data.flatMap((row): AwaitedSignal[] => (row.waiting?.signal === undefined ? [] : [{ row, signal: row.waiting.signal }]))
    },
    { live: { pollMs: LOOK_MS, slowMs: SLOW_MS } },
  )
  return value
}
