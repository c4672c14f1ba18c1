// What the gate has to hold changes with: the tests and the recorded runs of each flow that a rule is for.

import { matchesGlob } from "../../../../src/core/tool/policy/tool-names.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { useAsked } from "../../parts/asked.ts"
import { counted } from "../../parts/figures.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import css from "./faces.module.css"

export interface GateRule {
  readonly match: string
  readonly tests: boolean
  /** Recorded runs that it asks for. */
  readonly last: number | undefined
}

interface Props {
  readonly api: Api
  readonly rules: readonly GateRule[]
  readonly flows: readonly string[]
}

/** Flows whose tests are read. */
const MOST = 20

export function GateCheck({ api, rules, flows }: Props) {
  const ruleOf = (flow: string): GateRule | undefined => rules.find(({ match }) => match !== "" && matchesGlob(match, flow))
  const held = flows.filter((flow) => ruleOf(flow) !== undefined)
  const read = held.slice(0, MOST)
  const found = useAsked(["once", "what the gate holds", read], async () => {
    const { data } = await api.runs.counts("flow", { status: ["succeeded", "failed"] })
    const runs = new Map(data.map(({ key, count }) => [key, count]))
    const cases = await Promise.all(
      read.map((flow) =>
        api.flows.cases(flow).then(
          ({ cases: all }) => all,
          () => [],
        ),
      ),
    )
    return read.map((flow, i) => ({
      flow,
      tests: cases[i]?.length ?? 0,
      failing: cases[i]?.filter(({ last }) => last?.passed === false).length ?? 0,
      runs: runs.get(flow) ?? 0,
    }))
  })
  return (
    <section className="panel" aria-label="Preview">
      <div className="panel-head">
        <h2>{held.length === 0 ? "What it holds" : `What it holds: ${counted(held.length, "flow")}`}</h2>
      </div>
      <div className={css.prev}>
        {held.length === 0 ? (
          <p className="mid small">No flow is covered by these rules.</p>
        ) : found.fault !== undefined ? (
          <p className="mid small">The tests of these flows cannot be read. {found.fault}</p>
        ) : found.value === undefined ? (
          <p className="dim small">Reading their tests and runs.</p>
        ) : (
          <ul className="small">
            {found.value.map(({ flow, tests, failing, runs }) => {
              const rule = ruleOf(flow)
              return (
                <li key={flow}>
                  <Link className="link mono" href={`${addressOf("flows", flow)}?tab=tests`}>
                    {visible(flow)}
                  </Link>
                  : {rule && heldBy(rule, { tests, failing, runs })}
                </li>
              )
            })}
          </ul>
        )}
        {held.length > MOST && <p className="dim small">And {counted(held.length - MOST, "more flow")}.</p>}
      </div>
    </section>
  )
}

function heldBy(
  { tests: byTests, last }: GateRule,
  { tests, failing, runs }: { readonly tests: number; readonly failing: number; readonly runs: number },
): string {
  const said = [
    ...(byTests
      ? [tests === 0 ? "no test to hold it" : `${counted(tests, "test")}${failing === 0 ? "" : `, ${failing} failed last`}`]
      : []),
    ...(last === undefined ? [] : [runs === 0 ? "no recorded run yet" : `its last ${counted(Math.min(last, runs), "run")}`]),
  ]
  return said.length === 0 ? "nothing is required" : said.join("; ")
}
