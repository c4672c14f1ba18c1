// What was proved of a proposal, before anybody accepts it.

import type { ReactNode } from "react"
import type { ArchitectSession } from "../../../src/api/doc/architect.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { weighed } from "../../../web/flow/weighed.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { useProof, type Proofs } from "./use-proof.ts"
import { classes } from "../parts/classes.ts"
import css from "../flow-tests/flow-tests.module.css"

type Verdict = "good" | "bad" | "warns" | "runs" | "none"

export function Proof({ api, session }: { readonly api: Api; readonly session: ArchitectSession }) {
  const { rehearsal, tests, backtest } = useProof(api, session)
  const all = session.files.flatMap(({ path, diagnostics }) => diagnostics.map((one) => ({ path, ...one })))
  const { errors, warnings } = weighed(all)
  return (
    <section className={css.blk} aria-label="What it proved">
      <h3>What it proved, before you</h3>
      <ul className={css.proof}>
        <Line verdict={session.valid ? (warnings > 0 ? "warns" : "good") : "bad"}>
          {session.valid
            ? `Valid: no errors, ${warnings === 0 ? "no warnings" : counted(warnings, "warning")}`
            : `Not valid: ${counted(errors, "error")}`}
          {all
            .filter((one) => one.silenced === undefined)
            .slice(0, 3)
            .map(({ path, code, line, message }) => (
              <span key={`${path} ${code} ${line}`} className={classes("small mid", css.said)}>
                {"\n"}
                {visible(path)}, line {line}: {visible(message)}
              </span>
            ))}
        </Line>
        <Rehearsal api={api} rehearsal={rehearsal} />
        <Tests tests={tests} />
        <Backtested backtest={backtest} />
      </ul>
    </section>
  )
}

function Line({ verdict, children }: { readonly verdict: Verdict; readonly children: ReactNode }) {
  return (
    <li>
      {verdict === "good" && <Icon name="succeeded" kind="i-s succeeded" label="Proved" />}
      {verdict === "bad" && <Icon name="failed" kind="i-s failed" label="Failed" />}
      {verdict === "warns" && <Icon name="warn" kind="i-s waiting" label="Look at it" />}
      {verdict === "runs" && <Icon name="running" kind="i-s running spin" label="Under way" />}
      {verdict === "none" && <Icon name="skipped" kind="i-s skipped" label="Not tried" />}
      {children}
    </li>
  )
}

function Rehearsal({ api, rehearsal }: { readonly api: Api; readonly rehearsal: Proofs["rehearsal"] }) {
  const run = rehearsal && "run" in rehearsal && rehearsal.run !== null ? rehearsal.run : undefined
  const view = useAsked(["run", "rehearsal", run], async () => (run === undefined ? undefined : api.runs.get(run)))
  if (rehearsal === undefined) return <Line verdict="runs">Rehearsing</Line>
  if (rehearsal === null) return <Line verdict="none">Rehearsal: there is nothing to rehearse yet</Line>
  if ("fault" in rehearsal) return <Line verdict="bad">Rehearsal: {visible(rehearsal.fault)}</Line>
  const { status, steps = {}, error } = view.value ?? {}
  const done = Object.entries(steps).filter(([, step]) => step.status === "complete")
  const end = done.at(-1)?.[0]
  const isGood = rehearsal.passed && status !== "failed"
  return (
    <Line verdict={status === undefined && rehearsal.passed ? "runs" : isGood ? "good" : "bad"}>
      <span className={css.said}>
        {status === undefined && rehearsal.passed
          ? "Rehearsing"
          : isGood
            ? `Rehearsed: ${counted(done.length, "step")}${end === undefined ? "" : `, ends at ${visible(end)}`}`
            : `Rehearsed: it ${status ?? "did not end"}${error === undefined ? "" : `. ${visible(error.message)}`}`}
      </span>
      {run !== undefined && (
        <Link className="link" href={addressOf("runs", run)}>
          Open
        </Link>
      )}
    </Line>
  )
}

function Tests({ tests }: { readonly tests: Proofs["tests"] }) {
  if (tests === undefined) return <Line verdict="runs">Running the tests</Line>
  if (tests === null) return <Line verdict="none">Tests: the flow has none</Line>
  if ("fault" in tests) return <Line verdict="bad">Tests: {visible(tests.fault)}</Line>
  const { passed, failed, cases } = tests
  const first = cases.find((one) => !one.passed)
  return (
    <Line verdict={failed > 0 ? "bad" : "good"}>
      <span className={css.said}>
        Tests: {passed} of {passed + failed}
        {first && `. “${visible(first.name)}” fails`}
      </span>
      {first && first.run !== null && (
        <Link className="link" href={addressOf("runs", first.run)}>
          Open
        </Link>
      )}
    </Line>
  )
}

function Backtested({ backtest }: { readonly backtest: Proofs["backtest"] }) {
  if (backtest === undefined) return <Line verdict="runs">Trying it on recorded runs</Line>
  if (backtest === null) return <Line verdict="none">Backtest: no run of the flow has ended yet</Line>
  if ("fault" in backtest) return <Line verdict="bad">Backtest: {visible(backtest.fault)}</Line>
  const count = (result: string): number => backtest.runs.filter((row) => row.result === result).length
  const other = backtest.runs.find(({ result }) => result === "diverged") ?? backtest.runs.find(({ result }) => result !== "same")
  const told = (["same", "changed", "diverged", "failed"] as const).flatMap((name) => (count(name) > 0 ? [`${count(name)} ${name}`] : []))
  return (
    <Line verdict={other ? "warns" : "good"}>
      <span className={css.said}>
        Backtest: {told.join(", ")}
        {other?.step === undefined ? "" : ` (at ${visible(other.step)})`}
      </span>
      {other && (
        <Link className="link" href={addressOf("runs", other.run)}>
          Open
        </Link>
      )}
    </Line>
  )
}
