// Before a policy is saved: which tool calls of the last runs it would refuse, about which it would ask a person, and which hosts it lists no
// more. The calls are read once, and judged in the browser as the text changes.

import { useDeferredValue, useMemo } from "react"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"
import { visible } from "../../../../web/chat/wording.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { Tools } from "../../../../src/client/settings.ts"
import { newlyAsked, newlyUnlisted, verdictsOf, type Verdicts } from "../../../../web/policy/asked-calls.ts"
import { bareSpec, callsIn, newlyRefused, type RefusedCalls, type PastCall } from "../../../../web/policy/refused-calls.ts"
import { counted } from "../../parts/figures.ts"
import { useAsked } from "../../parts/asked.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { pickRuns } from "../../../../web/policy/pick-runs.ts"
import { newestRuns, pastEvents } from "../../parts/past-runs.ts"
import css from "./faces.module.css"

/** Runs whose calls are judged, the newest. */
const RUNS = 20
/** Calls that are judged, and rows that are shown. */
const [MOST_CALLS, MOST_SHOWN] = [5_000, 12] as const

interface Props {
  readonly api: Api
  /** JSON of the policy in the editor, and of the one that is saved. */
  readonly draft: unknown
  readonly saved: unknown
}

export function PolicyCheck({ api, draft, saved }: Props) {
  const past = useAsked(["once", "past calls"], () => pastCalls(api))
  const text = useDeferredValue(JSON.stringify([draft, saved]))
  const found = useMemo(() => {
    const [after, before] = (JSON.parse(text) as readonly unknown[]).map(parsePolicy)
    if (past.value === undefined || !after?.ok || !before?.ok) return undefined
    const { calls, specs } = past.value
    const specOf = (name: string): ToolSpec => specs.get(name) ?? bareSpec(name)
    const judge = (by: typeof newlyAsked): RefusedCalls[] => by(calls, before.value, after.value, specOf)
    return {
      before: verdictsOf(calls, before.value, specOf),
      after: verdictsOf(calls, after.value, specOf),
      refused: judge(newlyRefused),
      asked: judge(newlyAsked),
      unlisted: judge(newlyUnlisted),
    }
  }, [past.value, text])
  return (
    <section className="panel" aria-label="Preview">
      <div className="panel-head">
        <h2>{past.value === undefined ? "On your last runs of agents" : `On your last ${counted(past.value.runs, "run")} of agents`}</h2>
      </div>
      <div className={css.prev}>
        {past.fault !== undefined ? (
          <p className="mid small">The calls of earlier runs cannot be read. {past.fault}</p>
        ) : past.value === undefined ? (
          <p className="dim small">Reading their tool calls.</p>
        ) : found === undefined ? (
          <p className="dim small">Fix the errors to preview this policy.</p>
        ) : (
          <Preview past={past.value} found={found} />
        )}
      </div>
    </section>
  )
}

interface Found {
  readonly before: Verdicts
  readonly after: Verdicts
  readonly refused: readonly RefusedCalls[]
  readonly asked: readonly RefusedCalls[]
  readonly unlisted: readonly RefusedCalls[]
}

function Preview({
  past: { calls, runs },
  found: { before, after, refused, asked, unlisted },
}: {
  readonly past: Past
  readonly found: Found
}) {
  const whole = `${counted(calls.length, "tool call")} of the last ${counted(runs, "run")}`
  const was = (now: number, then: number): string => (now === then ? "as now" : `was ${then.toLocaleString()}`)
  return (
    <div className="small">
      <dl className={css.big}>
        <div>
          <dt>Calls</dt>
          <dd>{calls.length.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Would ask</dt>
          <dd>
            {after.asked.toLocaleString()} <span className="small dim">{was(after.asked, before.asked)}</span>
          </dd>
        </div>
        <div>
          <dt>Would refuse</dt>
          <dd>
            {after.refused.toLocaleString()} <span className="small dim">{was(after.refused, before.refused)}</span>
          </dd>
        </div>
      </dl>
      {refused.length === 0 && asked.length === 0 && (
        <p className="mid">Of {whole}, this policy refuses none that the saved one lets through, and asks a person about none more.</p>
      )}
      <Rows title={`This policy would refuse ${countOf(refused)} of ${whole}`} of={refused} />
      <Rows title={`It would ask a person about ${countOf(asked)} of ${whole}`} of={asked} />
      <Rows title="Agents that have read private things and text from outside would ask before calls to" of={unlisted} />
      <p className="dim">
        The newest runs of each flow that called a tool; the items of a map count with the run that began them.
        {asked.length > 0 && " Approvals that agents and flows ask for are in addition to these."}
      </p>
    </div>
  )
}

const countOf = (found: readonly RefusedCalls[]): string =>
  counted(
    found.reduce((sum, { calls }) => sum + calls, 0),
    "call",
  )

function Rows({ title, of }: { readonly title: string; readonly of: readonly RefusedCalls[] }) {
  if (of.length === 0) return null
  return (
    <>
      <p>
        <b>{title}:</b>
      </p>
      <ul>
        {of.slice(0, MOST_SHOWN).map(({ tool, agent, rule, calls, runs, run }) => (
          <li key={`${tool} ${agent ?? ""} ${rule}`}>
            <span className="mono">{visible(tool)}</span>
            {agent !== undefined && ` by ${visible(agent)}`}: {visible(rule)}; {counted(calls, "call")} in {counted(runs, "run")},{" "}
            <Link className="link" href={addressOf("runs", run)}>
              such as this one
            </Link>
          </li>
        ))}
      </ul>
      {of.length > MOST_SHOWN && <p className="dim">And {of.length - MOST_SHOWN} more.</p>}
    </>
  )
}

interface Past {
  readonly calls: readonly PastCall[]
  readonly runs: number
  readonly specs: ReadonlyMap<string, ToolSpec>
}

async function pastCalls(api: Api): Promise<Past> {
  const specs = new Map<string, ToolSpec>()
  // Without the tools, their calls are judged by their names.
  for (const row of await new Tools(api.transport)
    .list()
    .all()
    .catch(() => []))
    specs.set(row.name, { ...bareSpec(row.name), effect: row.effect ?? "none", ...(row.judged as Partial<ToolSpec> | undefined) })
  const picked = pickRuns(await newestRuns(api), RUNS)
  const calls: PastCall[] = []
  // One after another: it is a look back, and others wait for the same server.
  for (const { id, root } of picked) {
    // What is deleted meanwhile has no calls.
    const events = await pastEvents(api, id).catch(() => [])
    calls.push(...callsIn(root, events).slice(0, MOST_CALLS - calls.length))
    if (calls.length >= MOST_CALLS) break
  }
  return { calls, runs: new Set(picked.map(({ root }) => root)).size, specs }
}
