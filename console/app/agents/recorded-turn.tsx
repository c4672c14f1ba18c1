// Which recorded turn is tried: the step in which the agent worked, the run, and the turn. All of it is in the address.

import { useEffect } from "react"
import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { fullTime } from "../parts/figures.ts"
import { goQuery, useQuery } from "../shell/place.ts"

export interface StepPlace {
  readonly flow: string
  readonly step: string
}

interface Props {
  readonly steps: readonly StepPlace[]
  readonly runs: readonly RunRow[] | undefined
  readonly place: StepPlace | undefined
  readonly run: string | undefined
  /** The last turn of the pass; undefined: it is not known yet. */
  readonly last: number | undefined
  readonly turn: number | undefined
  /** How often the step was opened; undefined: it is not known yet. */
  readonly passes: number | undefined
  readonly pass: number | undefined
}

export function RecordedTurn({ steps, runs, place, run, last, turn, passes, pass }: Props) {
  const query = useQuery()
  const known = query.get("run")
  useEffect(() => {
    // The address names what is shown, so that it can be sent to somebody.
    if (known === null && run !== undefined) goQuery({ run })
  }, [known, run])
  return (
    <>
      <div className="field">
        <label htmlFor="pg-step">Step</label>
        <select
          id="pg-step"
          className="input"
          value={JSON.stringify(place ?? {})}
          onChange={({ target }) => {
            const { flow, step } = JSON.parse(target.value) as StepPlace
            goQuery({ flow, step, run: undefined, pass: undefined, turn: undefined })
          }}
        >
          {steps.map(({ flow, step }) => (
            <option key={`${flow} ${step}`} value={JSON.stringify({ flow, step })}>
              {visible(`${flow}, ${step}`)}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="pg-run">Recorded run</label>
        <select
          id="pg-run"
          className="input"
          value={run ?? ""}
          disabled={runs === undefined || runs.length === 0}
          onChange={({ target }) => goQuery({ run: target.value, pass: undefined, turn: undefined })}
        >
          {run !== undefined && runs?.every(({ id }) => id !== run) === true && <option value={run}>{run}</option>}
          {runs?.map(({ id, task, created }) => (
            <option key={id} value={id}>
              {fullTime(created)}
              {task === undefined ? "" : `, ${visible(task).slice(0, 60)}`}
            </option>
          ))}
        </select>
      </div>
      {passes !== undefined && passes > 1 && (
        <div className="field">
          <label htmlFor="pg-pass">Pass</label>
          <select
            id="pg-pass"
            className="input"
            value={pass ?? passes}
            onChange={({ target }) => goQuery({ pass: target.value === String(passes) ? undefined : target.value, turn: undefined })}
          >
            {Array.from({ length: passes }, (_, at) => (
              <option key={at} value={at + 1}>
                {at + 1} of {passes}
              </option>
            ))}
          </select>
        </div>
      )}
      {last !== undefined && (
        <div className="field">
          <label htmlFor="pg-turn">Turn</label>
          <select
            id="pg-turn"
            className="input"
            value={turn ?? last}
            onChange={({ target }) => goQuery({ turn: target.value === String(last) ? undefined : target.value })}
          >
            {Array.from({ length: last + 1 }, (_, at) => (
              <option key={at} value={at}>
                {at + 1} of {last + 1}
              </option>
            ))}
          </select>
        </div>
      )}
    </>
  )
}
