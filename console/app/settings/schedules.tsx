// Schedules: flows that start at set times, what comes next, and a fire by hand.

import { useState } from "react"
import type { ScheduleRow } from "../../../src/api/doc/schedules.doc.ts"
import type { NewSchedule } from "../../../src/api/schedules.ts"
import { Schedules } from "../../../src/client/triggers.ts"
import { visible } from "../../../web/chat/wording.ts"
import { faultOf } from "../parts/fault.ts"
import { shortTime } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { consoleWords } from "../../../web/faults/console-words.ts"
import { CronWords } from "../parts/cron-words.tsx"
import { SavedAt, type Made } from "./parts/saving.tsx"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { Row, Rows } from "./parts/row.tsx"
import { ScheduleForm } from "./schedule-form.tsx"
import { ScheduleWeek } from "./schedule-week.tsx"
import type { SectionProps } from "./section-props.ts"
import { Told } from "./parts/told.tsx"
import { useAsked } from "../parts/asked.ts"
import css from "./settings.module.css"

export function ScheduleSection({ api }: SectionProps) {
  const schedules = new Schedules(api.transport)
  const loaded = useAsked(["settings", "schedules"], () => schedules.list().all())
  const [edited, setEdited] = useState<ScheduleRow | "new">()
  const [removed, setRemoved] = useState<ScheduleRow>()
  const [made, setMade] = useState<Made>()
  const [said, setSaid] = useState<{ readonly of: string; readonly isGood: boolean; readonly words: string }>()
  const act = (of: string, work: Promise<string>): void => {
    setSaid(undefined)
    work.then(
      (words) => {
        setSaid({ of, isGood: true, words })
        loaded.again()
      },
      (error: unknown) => setSaid({ of, isGood: false, words: faultOf(error) }),
    )
  }
  const fire = async (id: string): Promise<string> => {
    const { run, verdict } = await schedules.fire(id)
    return run === null ? (FIRED[verdict] ?? verdict) : `${FIRED[verdict] ?? verdict} ${run}`
  }
  const turn = async (row: ScheduleRow): Promise<string> => {
    await schedules.put(row.id, { ...bodyOf(row), enabled: !row.enabled })
    return row.enabled ? "Paused. It no longer runs by itself." : "It runs by itself again."
  }
  return (
    <>
      <Head title="Schedules" about="Flows that start at set times. If the instance was down, missed times run once.">
        <SavedAt made={made} />
        <button className="btn first" type="button" onClick={() => setEdited("new")}>
          Add a schedule
        </button>
      </Head>
      <AskedView what="the schedules" of={loaded}>
        {(rows) => (
          <Rows label="Schedules" isEmpty={rows.length === 0} empty="No schedule yet. Add one to run a flow every morning, for example.">
            {rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    <Link className="link" href={addressOf("flows", row.flow)}>
                      {visible(row.flow)}
                    </Link>{" "}
                    <CronWords cron={row.cron} /> <span className="mono dim">{visible(row.cron)}</span>{" "}
                    <span className="dim">{visible(row.zone)}</span>
                    {!row.enabled && <span className="tag waiting">paused</span>}
                    {row.name !== undefined && <span className="tag">schedules/{visible(row.name)}.yaml</span>}
                  </>
                }
                about={
                  <>
                    {row.next === null ? "No next time" : `Next ${shortTime(row.next)}`}
                    {row.inputs !== undefined && `, with ${visible(Object.keys(row.inputs).join(", "))}`}
                    {row.last === null ? (
                      ", not run yet"
                    ) : (
                      <>
                        , last run {shortTime(row.last.at)}{" "}
                        {row.last.run !== null && (
                          <Link className="link" href={addressOf("runs", row.last.run)}>
                            Open it
                          </Link>
                        )}{" "}
                        {row.last.error !== undefined && <span className="msg error">{visible(consoleWords(row.last.error).words)}</span>}
                      </>
                    )}
                  </>
                }
                actions={
                  <>
                    <button className="btn" type="button" aria-label={`Run now: ${row.flow}`} onClick={() => act(row.id, fire(row.id))}>
                      Run now
                    </button>
                    {row.name === undefined && (
                      <>
                        <button
                          className="btn"
                          type="button"
                          aria-label={`${row.enabled ? "Pause" : "Resume"} ${row.flow}`}
                          onClick={() => act(row.id, turn(row))}
                        >
                          {row.enabled ? "Pause" : "Resume"}
                        </button>
                        <button
                          className="btn"
                          type="button"
                          aria-label={`Edit the schedule of ${row.flow}`}
                          onClick={() => setEdited(row)}
                        >
                          Edit
                        </button>
                        <button
                          className="btn bare danger"
                          type="button"
                          aria-label={`Delete the schedule of ${row.flow}`}
                          onClick={() => setRemoved(row)}
                        >
                          Delete
                        </button>
                      </>
                    )}
                  </>
                }
              >
                <div role="status" className={said?.of === row.id ? css.swide : "vh"}>
                  {said?.of === row.id && <Told isGood={said.isGood} words={said.words} />}
                </div>
              </Row>
            ))}
          </Rows>
        )}
      </AskedView>
      {loaded.value !== undefined && <ScheduleWeek schedules={schedules} rows={loaded.value} />}
      {edited !== undefined && (
        <ScheduleForm
          api={api}
          schedules={schedules}
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          send={async (given) => {
            if (edited === "new") await schedules.create(given)
            else {
              // A block that was emptied goes.
              const { start: _start, ...kept } = bodyOf(edited)
              await schedules.put(edited.id, { ...kept, ...given })
            }
            setMade({ at: Date.now(), name: given.flow, href: addressOf("flows", given.flow) })
            loaded.again()
          }}
        />
      )}
      {removed && (
        <AskOnce
          title={`Delete the schedule of “${visible(removed.flow)}”?`}
          act="Delete the schedule"
          onClose={() => setRemoved(undefined)}
          send={async () => {
            await schedules.delete(removed.id)
            loaded.again()
          }}
        >
          <p>Runs it has already started continue.</p>
        </AskOnce>
      )}
    </>
  )
}

const FIRED: Readonly<Record<string, string>> = {
  started: "Started",
  skipped: "Skipped: its last run is still active.",
  queued: "Queued until its active run ends, or there is room.",
}

/** Writing replaces it whole. */
function bodyOf({ id: _id, name: _name, created: _created, next: _next, last: _last, ...body }: ScheduleRow): NewSchedule {
  return body as NewSchedule
}
