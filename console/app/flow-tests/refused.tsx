// A refusal of the gate beside the editor: which flows would break, by which tests and which recorded runs. Each is a way to see it.

import type { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { brokenFlows, type Broken } from "../../../web/flow/gate-report.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./flow-tests.module.css"

/** Runs that are named; the rest are counted. */
const NAMED = 10

export function Refused({ gate, flow: own }: { readonly gate: SluiceError; readonly flow: string }) {
  const { report } = gate.problem
  const broken = typeof report === "object" && report !== null ? brokenFlows({ ...report }) : []
  return (
    <div className={`note failed ${css.refused}`} role="alert">
      <Icon name="failed" />
      <div className={css.blk}>
        <p>Not saved: the gate holds this change back. Fix the draft, or change what its tests expect.</p>
        {broken.map((one) => (
          <BrokenFlow key={one.flow} broken={one} isOwn={one.flow === own} />
        ))}
      </div>
    </div>
  )
}

function BrokenFlow({ broken: { flow, tests, runs, score }, isOwn }: { readonly broken: Broken; readonly isOwn: boolean }) {
  return (
    <>
      {!isOwn && (
        <p>
          <Link className="link" href={`${addressOf("flows", flow)}?tab=tests`}>
            {visible(flow)}
          </Link>
        </p>
      )}
      {tests.length > 0 && (
        <>
          <h3>{tests.length === 1 ? "1 test fails" : `${tests.length} tests fail`}</h3>
          <ul>
            {tests.map((name) => (
              <li key={name}>{visible(name)}</li>
            ))}
          </ul>
        </>
      )}
      {score && (
        <>
          <h3>{score.decision === "worse" ? "It is worse" : "The scores decide nothing"}</h3>
          {score.why !== undefined && <p>{visible(score.why)}</p>}
          <ul>
            {score.scorers.map(({ name, isKept, words }) => (
              <li key={name}>
                {isKept ? "Kept" : "Not kept"}: {visible(name)} {words}
              </li>
            ))}
          </ul>
          {score.needs !== undefined && (
            <p className="dim">A change that loses nothing would pass with {counted(score.needs, "row")}, nine times in ten.</p>
          )}
          {score.experiment !== undefined && (
            <p>
              <Link className="link" href={addressOf("quality", "experiments", score.experiment)}>
                Open the experiment
              </Link>
            </p>
          )}
        </>
      )}
      {runs.length > 0 && (
        <>
          <h3>{runs.length === 1 ? "1 recorded run diverges" : `${runs.length} recorded runs diverge`}</h3>
          <ul>
            {runs.slice(0, NAMED).map(({ run, step, pass, why }) => (
              <li key={run}>
                <Link className="link id" href={runAddress(run, step, pass)}>
                  {run.slice(0, 12)}
                </Link>{" "}
                {step === undefined ? "" : `at ${visible(step)}${pass === undefined || pass === 1 ? "" : `, pass ${pass}`}: `}
                {visible(why)}
              </li>
            ))}
            {runs.length > NAMED && <li className="dim">and {counted(runs.length - NAMED, "more run")}</li>}
          </ul>
        </>
      )}
    </>
  )
}

/** A step of a child is on the page of the child. */
export function runAddress(run: string, step: string | undefined, pass: number | undefined): string {
  const query = new URLSearchParams()
  if (step !== undefined && !step.includes("/")) {
    query.set("step", step)
    if (pass !== undefined) query.set("pass", String(pass))
  }
  return addressOf("runs", run) + (query.size === 0 ? "" : `?${query.toString()}`)
}
