// The cases of a flow: what each gave now, or else what it last gave and on which revision. A failed one shows what it expected and what it
// found.

import type { TestCases } from "../../../src/api/doc/tests.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, fullTime } from "../parts/figures.ts"
import { useNow } from "../parts/use-now.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { CaseResult, CaseState } from "./use-cases.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-tests.module.css"

type Failure = CaseResult["failures"][number]

export const idOf = (name: string): string => `case-${encodeURIComponent(name)}`

interface Props {
  readonly cases: TestCases["cases"]
  readonly ran: ReadonlyMap<string, CaseState>
  readonly revision: number | undefined
  readonly isOwn: boolean
  readonly onRun: (name: string) => void
  /** `instead`: what it should expect from now on. */
  readonly onEdit: (at: number, instead?: Failure) => void
}

export function CaseList({ cases, ran, revision, isOwn, onRun, onEdit }: Props) {
  const now = useNow(60_000)
  return (
    <ol className={css.tc}>
      {cases.map(({ name, last }, at) => {
        const { state, result = state === undefined || state === "done" ? last : undefined } = ran.get(name) ?? {}
        const isOld = state === undefined && last !== undefined
        return (
          <li key={name} id={idOf(name)} aria-busy={state === "runs"}>
            <div className={css.tcH}>
              <Mark state={state} passed={result?.passed} />
              <span className="cut" title={name}>
                {visible(name)}
              </span>
              {isOld && (
                <span className="dim small nowrap" title={fullTime(last.at)}>
                  {last.revision === revision ? `r${last.revision}` : `on r${last.revision}`}, {age(Date.parse(last.at), now)}
                </span>
              )}
              <span className="num dim">{result === undefined ? "" : `${(result.ms / 1_000).toFixed(1)} s`}</span>
              <button className="btn bare square tiny" type="button" onClick={() => onRun(name)} aria-label={`Run ${name}`} title="Run">
                <Icon name="play" kind="i-s" />
              </button>
              {isOwn && (
                <button className="btn bare square tiny" type="button" onClick={() => onEdit(at)} aria-label={`Edit ${name}`} title="Edit">
                  <Icon name="edit" kind="i-s" />
                </button>
              )}
            </div>
            {result !== undefined && !result.passed && (
              <Failures result={result} onExpect={isOwn ? (failure) => onEdit(at, failure) : undefined} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

function Mark({ state, passed }: { readonly state: CaseState["state"] | undefined; readonly passed: boolean | undefined }) {
  if (state === "runs") return <Icon name="running" kind="i-s running spin" label="Runs" />
  if (state === "waits") return <Icon name="queued" kind="i-s queued" label="Waits" />
  if (passed === undefined) return <Icon name="queued" kind="i-s queued" label="Not run yet" />
  return passed ? <Icon name="succeeded" kind="i-s succeeded" label="Passed" /> : <Icon name="failed" kind="i-s failed" label="Failed" />
}

interface FailuresProps {
  readonly result: Pick<CaseResult, "run" | "failures">
  readonly onExpect: ((failure: Failure) => void) | undefined
}

function Failures({ result: { run, failures }, onExpect }: FailuresProps) {
  const [first] = failures
  return (
    <div className={css.tcB}>
      {failures.map(({ at, expected, found }) => (
        <div key={at} className={css.blk}>
          <p className="small">{at === "" ? "The run did not go as expected." : <Pointer at={at} />}</p>
          <pre
            className={classes("code wrap", css.ef)}
            tabIndex={0}
            role="region"
            aria-label={`Expected and found at ${at === "" ? "the run" : at}`}
          >
            <span className={css.del}>
              <b>-</b> expected {shown(expected)}
            </span>
            <span className={css.add}>
              <b>+</b> found {found === null ? "nothing" : shown(found)}
            </span>
          </pre>
        </div>
      ))}
      {failures.length === 0 && <p className="small">It failed. Open its run to see why.</p>}
      <div className="bar">
        {run !== null && (
          <Link className="link small" href={addressOf("runs", run)}>
            Open its run
          </Link>
        )}
        {onExpect && first && failures.length === 1 && first.found !== null && (
          <button className="btn bare tiny" type="button" onClick={() => onExpect(first)}>
            Expect what it found
          </button>
        )}
      </div>
    </div>
  )
}

/** A text in quotes, so that it is told from a number. */
const shown = (value: unknown): string => visible(typeof value === "string" ? JSON.stringify(value) : value)

const Pointer = ({ at }: { readonly at: string }) => (
  <>
    <span className="mono">{visible(at)}</span> is not as expected.
  </>
)
