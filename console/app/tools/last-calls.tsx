// The last calls of a tool, from the newest runs that called any: each with its arguments, what became of it, and its place in the run.

import { callsOf, type ToolCall } from "../../../web/tools/last-calls.ts"
import { visible } from "../../../web/chat/wording.ts"
import { useAsked } from "../parts/asked.ts"
import { AskedView } from "../parts/asked-view.tsx"
import { counted, duration, fullTime } from "../parts/figures.ts"
import { newestRuns, pastEvents } from "../parts/past-runs.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import css from "./tools.module.css"

/** Runs whose events are read, and calls that are shown. */
const [MOST_RUNS, MOST_CALLS] = [20, 10] as const
const ARGS_SHOWN = 120

export function LastCalls({ api, name }: { readonly api: Api; readonly name: string }) {
  const past = useAsked(["once", "last calls", name], () => read(api, name))
  return (
    <section className="panel" aria-label="Last calls">
      <div className="panel-head">
        <h2>Last calls</h2>
        {past.value && <span className="dim small">of the newest {counted(past.value.runs, "run")} that called tools</span>}
      </div>
      <AskedView what="the last calls" of={past}>
        {({ calls }) =>
          calls.length === 0 ? (
            <p className="mid dlg-l">None of these runs called it.</p>
          ) : (
            <div className={css.lasts} tabIndex={0} role="region" aria-label="Calls of this tool">
              <table className="tbl">
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Run and step</th>
                    <th scope="col">Arguments</th>
                    <th scope="col">Outcome</th>
                    <th scope="col" className="num">
                      Time
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {calls.map((call) => (
                    <Row key={`${call.run} ${call.seq}`} call={call} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </AskedView>
    </section>
  )
}

const WORDS: Readonly<Record<ToolCall["outcome"], string>> = {
  running: "running",
  done: "returned",
  failed: "failed",
  refused: "refused",
  unknown: "outcome unknown",
}

function Row({ call: { run, flow, step, seq, at, args, outcome, ms } }: { readonly call: ToolCall }) {
  const text = visible(JSON.stringify(args))
  return (
    <tr>
      <td className="nowrap">{fullTime(at)}</td>
      <td>
        <Link className="link" href={`${addressOf("runs", run)}?step=${encodeURIComponent(step)}&at=${seq}`}>
          {flow}, {step}
        </Link>
      </td>
      <td className="mono" title={text}>
        {text.length > ARGS_SHOWN ? `${text.slice(0, ARGS_SHOWN)}…` : text}
      </td>
      <td className={outcome === "failed" || outcome === "refused" ? css.bad : "mid"}>{WORDS[outcome]}</td>
      <td className="num">{ms === undefined ? "–" : duration(ms)}</td>
    </tr>
  )
}

async function read(api: Api, name: string): Promise<{ readonly calls: readonly ToolCall[]; readonly runs: number }> {
  const rows = (await newestRuns(api)).filter((row) => row.calls > 0).slice(0, MOST_RUNS)
  const calls: ToolCall[] = []
  let runs = 0
  // One after another: it is a look back, and others wait for the same server.
  for (const { id, flow } of rows) {
    if (calls.length >= MOST_CALLS) break
    // What is deleted meanwhile has no calls.
    calls.push(...callsOf(name, { run: id, flow }, await pastEvents(api, id).catch(() => [])))
    runs += 1
  }
  return { calls: calls.toSorted((a, b) => b.at - a.at).slice(0, MOST_CALLS), runs }
}
