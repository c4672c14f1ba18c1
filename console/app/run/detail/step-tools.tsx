// The tools of a step: whether each is granted, and the rule that decided.

import { useAsked } from "../../parts/asked.ts"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import { callsOf, type Pass } from "../../../../src/core/run/views/outline.ts"

interface Props {
  readonly api: Api
  readonly run: string
  readonly step: string
  readonly pass: Pass | undefined
}

export function StepTools({ api, run, step, pass }: Props) {
  const { value, fault } = useAsked(["run", "tools", run, step, pass?.seq], () => api.runs.tools(run, step).all())
  if (fault !== undefined) return <p className="msg error">{fault}</p>
  if (value === undefined) return <p className="dim">Reading the tools.</p>
  if (value.length === 0) return <p className="dim">This step has no tools.</p>
  const used = new Map<string, number>()
  for (const { tool } of pass ? callsOf(pass) : []) used.set(tool, (used.get(tool) ?? 0) + 1)
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Given</th>
          <th scope="col">Rule</th>
          <th scope="col" className="num">
            Calls
          </th>
        </tr>
      </thead>
      <tbody>
        {value
          .toSorted((a, b) => Number(b.granted) - Number(a.granted))
          .map(({ name, granted, rule }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>
                <span className={`st ${granted ? "complete" : "canceled"}`}>
                  <Icon name={granted ? "shield" : "refused"} kind="i-s" />
                  {granted ? "yes" : "no"}
                </span>
              </td>
              <td className="mid">{rule}</td>
              <td className="num">{used.get(name) ?? ""}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
