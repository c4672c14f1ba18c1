// A schedule that is made or changed, with the next times that its expression matches.

import { useEffect, useState } from "react"
import type { ScheduleRow } from "../../../src/api/doc/schedules.doc.ts"
import type { NewSchedule } from "../../../src/api/schedules.ts"
import type { Schedules } from "../../../src/client/triggers.ts"
import { fieldsFrom } from "../../../web/start/block-form.ts"
import { editable, visible } from "../../../web/chat/wording.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import { ChoiceField, LinesField, TextField } from "./parts/fields.tsx"
import { FormDialog } from "./parts/form-dialog.tsx"
import { StartBlock, START_PLACES } from "./parts/start-block.tsx"
import { sentBlock } from "./parts/sent-block.ts"
import { FormFault, wrongWith } from "./parts/wrong.ts"
import { CronWords } from "../parts/cron-words.tsx"

/** How long the expression rests before it is asked about. */
const REST_MS = 300
const TIMES = 5

const OVERLAPS = [
  ["skip", "Do nothing"],
  ["queue", "Start one run afterwards"],
  ["parallel", "Start another run at once"],
] as const satisfies readonly (readonly [ScheduleRow["overlap"], string])[]

const PLACES = ["/flow", "/cron", "/zone", "/task", "/overlap", "/inputs", ...START_PLACES]

interface Props {
  readonly api: Api
  readonly schedules: Schedules
  /** undefined: a new one. */
  readonly row: ScheduleRow | undefined
  readonly onClose: () => void
  readonly send: (schedule: NewSchedule) => Promise<void>
}

export function ScheduleForm({ api, schedules, row, onClose, send }: Props) {
  const [flow, setFlow] = useState(row?.flow ?? "")
  const [cron, setCron] = useState(row?.cron ?? "0 9 * * 1-5")
  const [zone, setZone] = useState(row?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [task, setTask] = useState(row?.task ?? "")
  const [overlap, setOverlap] = useState<ScheduleRow["overlap"]>(row?.overlap ?? "skip")
  const [inputs, setInputs] = useState(() => (row?.inputs === undefined ? "" : editable(row.inputs)))
  const [block, setBlock] = useState(() => fieldsFrom(row?.start))
  // The form works without them.
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
  )
  return (
    <FormDialog
      title={row === undefined ? "Add a schedule" : `The schedule of “${visible(row.flow)}”`}
      act={row === undefined ? "Add the schedule" : "Save the schedule"}
      places={PLACES}
      onClose={onClose}
      send={() =>
        send({ flow: flow.trim(), cron: cron.trim(), zone: zone.trim(), task, overlap, ...inputsOf(inputs), ...sentBlock(block) })
      }
    >
      {(faults) => (
        <>
          <TextField label="Flow" isMono choices={flows.value ?? []} fault={faults["/flow"]} value={flow} onChange={setFlow} />
          <TextField
            label="When"
            isMono
            size="middle"
            hint="Minute, hour, day of the month, month, day of the week."
            fault={faults["/cron"]}
            value={cron}
            onChange={setCron}
          />
          <TextField label="Time zone" isMono size="middle" fault={faults["/zone"]} value={zone} onChange={setZone} />
          <p className="small">
            <CronWords cron={cron.trim()} />
          </p>
          <Next schedules={schedules} cron={cron.trim()} zone={zone.trim()} />
          <LinesField label="Task (optional)" rows={2} isMono={false} fault={faults["/task"]} value={task} onChange={setTask} />
          <LinesField
            label="Inputs (JSON, optional)"
            rows={2}
            hint='Values for the inputs of the flow, such as {"region": "us"}.'
            fault={faults["/inputs"]}
            value={inputs}
            onChange={setInputs}
          />
          <ChoiceField
            label="While its last run is still active"
            fault={faults["/overlap"]}
            value={overlap}
            options={OVERLAPS}
            onChange={setOverlap}
          />
          <StartBlock fields={block} faults={faults} keyHint="Starts with the same key count together." onChange={setBlock} />
        </>
      )}
    </FormDialog>
  )
}

function inputsOf(text: string): { readonly inputs?: NonNullable<NewSchedule["inputs"]> } {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { inputs: value as NonNullable<NewSchedule["inputs"]> }
  } catch {
    // Said below.
  }
  throw new FormFault({ "/inputs": "must be a JSON object" })
}

function Next({ schedules, cron, zone }: { readonly schedules: Schedules; readonly cron: string; readonly zone: string }) {
  const [found, setFound] = useState<{ readonly times?: readonly string[]; readonly words?: readonly string[] }>({})
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      schedules.preview(cron, zone === "" ? "UTC" : zone, TIMES).then(
        ({ next }) => {
          if (!isOver) setFound({ times: next })
        },
        (error: unknown) => {
          if (!isOver) setFound({ words: Object.values(wrongWith(error, ["/cron", "/zone"]).faults) })
        },
      )
    }, REST_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [cron, zone])
  const { times, words } = found
  return (
    <div className="field" role="status" aria-label="Next times">
      <b className="small">Next times</b>
      {times?.length === 0 && <p className="mid small">This expression never matches again.</p>}
      {times && (
        <ol className="small">
          {times.map((time) => (
            <li key={time}>{when(time, zone)}</li>
          ))}
        </ol>
      )}
      {words?.map((one) => (
        <p className="msg error" key={one}>
          {one}
        </p>
      ))}
    </div>
  )
}

/** In the schedule's own zone. */
function when(time: string, zone: string): string {
  const at = new Date(time)
  try {
    return at.toLocaleString("en-US", { timeZone: zone, dateStyle: "full", timeStyle: "short" })
  } catch {
    return at.toLocaleString("en-US", { timeZone: "UTC", dateStyle: "full", timeStyle: "short" })
  }
}
