// Before a policy is saved: which tool calls of the last runs it would refuse. The calls are read once, and judged in the browser as the text
// changes.

import { useDeferredValue, useMemo } from "react"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { parsePolicy } from "../../../src/core/policy/parse-policy.ts"
import { visible } from "../../../web/chat/wording.ts"
import { callsIn, newlyRefused, type PastCall } from "../../../web/policy/refused-calls.ts"
import { counted } from "../parts/figures.ts"
import { useLoad } from "../parts/use-load.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"

/** Runs whose calls are judged, the newest. */
const RUNS = 20
/** Events of one run that are read, in pages. */
const [PAGES, PAGE] = [3, 1_000] as const
/** Calls that are judged, and rows that are shown. */
const [MOST_CALLS, MOST_SHOWN] = [5_000, 12] as const

interface Wish {
  readonly api: Api
  /** JSON of the policy in the editor, and of the one that is saved. */
  readonly draft: unknown
  readonly saved: unknown
}

export function PolicyCheck({ api, draft, saved }: Wish) {
  const past = useLoad("calls", () => pastCalls(api))
  const text = useDeferredValue(JSON.stringify([draft, saved]))
  const found = useMemo(() => {
    const [after, before] = (JSON.parse(text) as readonly unknown[]).map(parsePolicy)
    if (past.value === undefined || !after?.ok || !before?.ok) return undefined
    return newlyRefused(past.value.calls, before.value, after.value)
  }, [past.value, text])
  if (past.fault !== undefined) return <p className="mid small">The calls of earlier runs cannot be read: {past.fault}</p>
  if (past.value === undefined) return <p className="dim small">Reading the tool calls of the last {RUNS} runs.</p>
  const { calls, runs } = past.value
  const whole = `${counted(calls.length, "tool call")} of the last ${counted(runs, "run")}`
  if (found === undefined) return <p className="dim small">What it would refuse is said once the policy has no fault.</p>
  if (found.length === 0) return <p className="mid small">Of {whole}, this policy refuses none that the saved one lets through.</p>
  return (
    <div className="small">
      <p>
        <b>
          This policy would refuse{" "}
          {counted(
            found.reduce((sum, one) => sum + one.calls, 0),
            "call",
          )}
        </b>{" "}
        of {whole}:
      </p>
      <ul>
        {found.slice(0, MOST_SHOWN).map(({ tool, agent, rule, calls: count, runs: of, run }) => (
          <li key={`${tool} ${agent ?? ""} ${rule}`}>
            <span className="mono">{visible(tool)}</span>
            {agent !== undefined && ` by ${visible(agent)}`}: {visible(rule)}; {counted(count, "call")} in {counted(of, "run")},{" "}
            <Link className="link" href={addressOf("runs", run)}>
              such as this one
            </Link>
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && <p className="dim">And {found.length - MOST_SHOWN} more.</p>}
    </div>
  )
}

async function pastCalls(api: Api): Promise<{ readonly calls: readonly PastCall[]; readonly runs: number }> {
  const { data } = await api.runs.list({ limit: RUNS, children: 1 }).page()
  const calls: PastCall[] = []
  // One after another: it is a look back, and others wait for the same server.
  for (const { id } of data) {
    // What is deleted meanwhile has no calls.
    const events = await eventsOf(api, id).catch(() => [])
    calls.push(...callsIn(id, events).slice(0, MOST_CALLS - calls.length))
    if (calls.length >= MOST_CALLS) break
  }
  return { calls, runs: data.length }
}

async function eventsOf({ transport }: Api, run: string): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = []
  let after = 0
  for (let page = 0; page < PAGES; page++) {
    const { data, next_cursor } = await transport.json<{ readonly data: readonly RunEvent[]; readonly next_cursor: string | null }>(
      "GET",
      `/v1/runs/${encodeURIComponent(run)}/events`,
      { query: { after, limit: PAGE } },
    )
    all.push(...data)
    if (next_cursor === null) break
    after = Number(next_cursor)
  }
  return all
}
