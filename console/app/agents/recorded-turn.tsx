// Which recorded turn is tried: the step in which the agent worked, the run, and the turn. All of it is in the address.

import { useEffect } from "react"
import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { fullTime } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
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
        <Select
          id="pg-step"
          value={JSON.stringify(place ?? {})}
          choices={steps.map(({ flow, step }) => ({ value: JSON.stringify({ flow, step }), words: visible(`${flow}, ${step}`) }))}
          onChange={(chosen) => {
            const { flow, step } = JSON.parse(chosen) as StepPlace
            goQuery({ flow, step, run: undefined, pass: undefined, turn: undefined })
          }}
        />
      </div>
      <div className="field">
        <label htmlFor="pg-run">Recorded run</label>
        <Select
          id="pg-run"
          value={run ?? ""}
          isOff={runs === undefined || runs.length === 0}
          choices={[
            ...(run !== undefined && runs?.every(({ id }) => id !== run) === true ? [{ value: run }] : []),
            ...(runs ?? []).map(({ id, task, created }) => ({
              value: id,
              words: `${fullTime(created)}${task === undefined ? "" : `, ${visible(task).slice(0, 60)}`}`,
            })),
          ]}
          onChange={(chosen) => goQuery({ run: chosen, pass: undefined, turn: undefined })}
        />
      </div>
      {passes !== undefined && passes > 1 && (
        <div className="field">
          <label htmlFor="pg-pass">Pass</label>
          <Select
            id="pg-pass"
            value={String(pass ?? passes)}
            choices={Array.from({ length: passes }, (_, at) => ({ value: String(at + 1), words: `${at + 1} of ${passes}` }))}
            onChange={(chosen) => goQuery({ pass: chosen === String(passes) ? undefined : chosen, turn: undefined })}
          />
        </div>
      )}
      {last !== undefined && (
        <div className="field">
          <label htmlFor="pg-turn">Turn</label>
          <Select
            id="pg-turn"
            value={String(turn ?? last)}
            choices={Array.from({ length: last + 1 }, (_, at) => ({ value: String(at), words: `${at + 1} of ${last + 1}` }))}
            onChange={(chosen) => goQuery({ turn: chosen === String(last) ? undefined : chosen })}
          />
        </div>
      )}
    </>
  )
}
