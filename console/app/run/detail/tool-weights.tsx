// The tools of a request with their weight and the rule that gave each; and those that were not given, with the reason.

import type { StepPrompt } from "../../../../src/api/doc/run/prompts.doc.ts"
import { useAsked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"
import { Weight } from "./prompt-layers.tsx"
import css from "./prompt.module.css"

interface Props {
  readonly api: Api
  readonly run: string
  readonly prompt: StepPrompt
}

export function ToolWeights({ api, run, prompt: { step, tools } }: Props) {
  const { value = [] } = useAsked(["run", "tools left out", run, step], async () =>
    (await api.runs.tools(run, step).all()).filter(({ granted }) => !granted),
  )
  if (tools.length === 0 && value.length === 0) return <p className="dim">No tool was offered.</p>
  const heaviest = Math.max(1, ...tools.map(({ tokens }) => tokens))
  return (
    <>
      <table className={css.ptab}>
        <thead>
          <tr>
            <th scope="col">Tools</th>
            <th scope="col">Why it is here</th>
            <th scope="col" className="num">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {tools
            .toSorted((a, b) => b.tokens - a.tokens)
            .map(({ name, rule, tokens }) => (
              <tr key={name}>
                <th scope="row">
                  <Weight share={tokens / heaviest} />
                  <span className="mono cut">{name}</span>
                </th>
                <td className="mid">{rule}</td>
                <td className="num">{tokens.toLocaleString()}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {value.length > 0 && (
        <details className={css.raw}>
          <summary>{value.length.toLocaleString()} not given</summary>
          <table className={css.ptab}>
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th scope="col">Why not</th>
              </tr>
            </thead>
            <tbody>
              {value.slice(0, MAX_NOT_GIVEN).map(({ name, rule }) => (
                <tr key={name}>
                  <th scope="row" className="mono">
                    {name}
                  </th>
                  <td className="mid">{rule}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {value.length > MAX_NOT_GIVEN && <p className="dim">The Tools tab has all of them.</p>}
        </details>
      )}
    </>
  )
}

const MAX_NOT_GIVEN = 100
