// The gate [K24] as far as it covers this flow: what a write must not break, and what the draft would break now.

import { useEffect, useState } from "react"
import type { GateSetting } from "../../../src/core/tool/policy/gate-setting.ts"
import { matchesGlob } from "../../../src/core/tool/policy/tool-names.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { brokenFlows, brokenWords, marginWords } from "../../../web/flow/gate-report.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import css from "./flow-tests.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly path: string | undefined
  /** What would be written; undefined: nothing is changed. */
  readonly draft: string | undefined
}

type Rule = NonNullable<GateSetting["flows"]>[number]

export function Gate({ api, flow, path, draft }: Props) {
  const { value, fault } = useAsked(["once", "gate", flow], () => rulesOf(api, flow))
  if (fault !== undefined) return <FaultLine fault={fault} />
  if (value === undefined) return null
  return (
    <section className={css.blk} aria-label="Gate">
      <h3>Gate</h3>
      {value === "hidden" && <p className="dim small">Only administrators can see the gate. If it holds a save back, it says why.</p>}
      {value !== "hidden" && value.length === 0 && (
        <p className="dim small">No gate covers this flow: you can save it even if a test fails.</p>
      )}
      {value !== "hidden" &&
        value.map((rule) => (
          <p key={rule.match} className="small">
            The gate of <span className="mono">{visible(rule.match)}</span> {asksFor(rule)}
          </p>
        ))}
      {draft !== undefined && path !== undefined && value.length > 0 && (
        <Open key={draft} api={api} flow={flow} path={path} draft={draft} />
      )}
    </section>
  )
}

export async function rulesOf(api: Api, flow: string): Promise<readonly Rule[] | "hidden"> {
  try {
    const { flows = [] } = await api.transport.json<GateSetting>("GET", "/v1/settings/gate")
    return flows.filter(({ match }) => matchesGlob(match, flow))
  } catch (error) {
    if (error instanceof SluiceError && error.status === 403) return "hidden"
    throw error
  }
}

function asksFor({ tests = true, backtest, score }: Rule): string {
  const first = asksFirst({ tests, ...(backtest ? { backtest } : {}) })
  if (!score) return first
  const scores = `On the dataset ${visible(score.dataset)}, ${visible(marginWords(score.scorers))}.`
  return tests || backtest ? `${first} ${scores}` : `compares scores. ${scores}`
}

function asksFirst({ tests, backtest }: Pick<Rule, "tests" | "backtest">): string {
  const runs =
    backtest &&
    `the last ${counted(backtest.last, "run")}${backtest.allow?.length ? `, where ${backtest.allow.join(" and ")} may differ` : ""}`
  if (tests) return runs ? `requires all tests to pass, and a backtest on ${runs}.` : "requires all tests to pass."
  return runs ? `requires a backtest on ${runs}. A failed test does not block a save.` : "requires nothing."
}

interface OpenProps {
  readonly api: Api
  readonly flow: string
  readonly path: string
  readonly draft: string
}

interface Said {
  /** It waits for an experiment, which a save begins. */
  readonly isPending: boolean
  readonly passed: boolean
  readonly flows: readonly string[]
}

function Open({ api, path, draft }: OpenProps) {
  const [said, setSaid] = useState<Said>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => setSaid(undefined), [draft])
  const ask = (): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    api.catalog
      .plan({ mode: "merge", flows: { [path.replace(/^flows\//, "")]: draft } })
      .then(
        ({ gate: { passed, pending = [], report } }) => setSaid({ passed, isPending: pending.length > 0, flows: brokenIn(report) }),
        (error: unknown) => setFault(faultOf(error)),
      )
      .finally(() => setBusy(false))
  }
  return (
    <>
      <FaultLine fault={fault} />
      {said === undefined ? (
        <div className="bar">
          <button className="btn tiny" type="button" aria-disabled={isBusy} onClick={ask}>
            {isBusy ? "Asking" : "Check this draft against the gate"}
          </button>
        </div>
      ) : (
        <p className={`msg ${said.passed ? "succeeded" : "waiting"}`} role="status">
          <Icon name={said.passed ? "succeeded" : "failed"} kind="i-s" />
          <span>
            {!said.passed
              ? `The gate holds it back: ${said.flows.join("; ")}.`
              : said.isPending
                ? "Saving begins an experiment that compares this draft, and waits for it."
                : "The gate lets this draft pass."}
          </span>
        </p>
      )}
    </>
  )
}

/** What would break, in a sentence for each flow. */
export const brokenIn = (report: JsonObject): string[] => brokenFlows(report).map((one) => visible(brokenWords(one)))
