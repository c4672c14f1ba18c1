// One group: where it fails, since when, its latest runs, and what can be done about it.

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { age, counted, fullTime } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon, type IconName } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { revisionOf } from "./group-table.tsx"
import { MAX_FORKED, searchFor } from "./runs-of-group.ts"
import css from "./failures.module.css"

type Status = FailureGroup["status"]

interface Props {
  readonly api: Api
  readonly group: FailureGroup
  readonly now: number
  readonly isBusy: boolean
  readonly fault: string | undefined
  /** The catalog's. */
  readonly revision: number | undefined
  /** Why nothing can be forked. */
  readonly refused: string | undefined
  readonly onMark: (status: Status) => void
  readonly onFork: (isAll: boolean) => void
}

/** What a press makes of the group, by what it is. */
const MARKS: Readonly<Record<Status, readonly (readonly [Status, string, IconName, string])[]>> = {
  open: [
    ["muted", "Mute", "mute", "M"],
    ["resolved", "Resolve", "check", "D"],
  ],
  muted: [
    ["open", "Reopen", "again", "M"],
    ["resolved", "Resolve", "check", "D"],
  ],
  resolved: [["open", "Reopen", "again", "D"]],
}

/** Rows that are looked through for the tasks of the latest runs. */
const LOOKED = 100

export function GroupDetail({ api, group, now, isBusy, fault, revision, refused, onMark, onFork }: Props) {
  const { flow, step, scorer, source, message, count, first, last, runs, status, by, at, reopened } = group
  const rows = useAsked(
    ["failures", "rows", group.key, last.run],
    async () =>
      new Map((await api.runs.list({ flow, status: "failed", children: 1, limit: LOOKED }).page()).data.map((row) => [row.id, row])),
  )
  const days = group.days.filter((day) => day.count > 0).length
  return (
    <aside className="panel" aria-label="The selected group">
      <div className="panel-head">
        <h2 className="cut">{visible(message)}</h2>
        <span className="grow" />
        {MARKS[status].map(([to, word, icon, key]) => (
          <button className="btn bare" key={to} type="button" aria-disabled={isBusy} onClick={() => onMark(to)}>
            <Icon name={icon} kind="i-s" />
            {word} <kbd>{key}</kbd>
          </button>
        ))}
      </div>
      <div className={css.fBody}>
        <FaultLine fault={fault} />
        <dl className="kv">
          <dt>Where</dt>
          <dd>
            {visible(flow)}
            {step === undefined ? ", the run itself" : `, ${visible(step)}`},{" "}
            {scorer === undefined ? <span className="mono">{visible(source)}</span> : `score of ${visible(scorer)}`}
          </dd>
          <dt>Runs</dt>
          <dd>
            {counted(count, "run")}
            {days > 0 && `, on ${counted(days, "day")} of the last ${group.days.length}`}
          </dd>
          <dt>First seen</dt>
          <dd>
            {fullTime(first.at)}
            {revisionOf(first)}
          </dd>
          <dt>Last seen</dt>
          <dd>
            {fullTime(last.at)}
            {revisionOf(last)}
          </dd>
          <dt>Status</dt>
          <dd>
            {STATUS_WORDS[status]}
            {by !== undefined && ` by ${visible(by)}`}
            {at !== undefined && `, ${fullTime(at)}`}
            {status === "open" && reopened && (
              <>
                ; it came back with{" "}
                <Link className="link id" href={addressOf("runs", reopened.run)}>
                  {reopened.run}
                </Link>
              </>
            )}
          </dd>
        </dl>
        <section className={css.fPart}>
          <h3>What the latest says</h3>
          <pre className="code wrap" tabIndex={0} aria-label="The latest message">
            {visible(message)}
          </pre>
        </section>
        <section className={css.fPart}>
          <h3>{scorer === undefined ? "Continue from the failure" : "Try it anew"}</h3>
          <p className="small mid">
            {refused ??
              `${step === undefined ? "A fork starts from the beginning." : `A fork keeps what came before ${visible(step)}.`} Effects are held until you commit them, unless you choose otherwise.`}
          </p>
          <div className="bar">
            <button
              className="btn first"
              type="button"
              aria-disabled={refused !== undefined || revision === undefined}
              onClick={() => onFork(true)}
            >
              {forkWords(group, revision)} <kbd>Shift F</kbd>
            </button>
            {runs.length > 1 && (
              <button
                className="btn"
                type="button"
                aria-disabled={refused !== undefined || revision === undefined}
                onClick={() => onFork(false)}
              >
                Try one first
              </button>
            )}
          </div>
        </section>
        <section className={css.fPart}>
          <h3>Newest</h3>
          <ul className={css.fRuns}>
            {runs.map((run) => {
              const row = rows.value?.get(run)
              return (
                <li key={run}>
                  {scorer === undefined && <Icon name="failed" kind="i-s failed" />}
                  <Link className="link id" href={addressOf("runs", run)}>
                    {run}
                  </Link>
                  <span className="dim cut">{visible(row?.task ?? "")}</span>
                  {row && (
                    <span className="num dim" title={fullTime(row.created)}>
                      {age(Date.parse(row.created), now)}
                    </span>
                  )}
                </li>
              )
            })}
          </ul>
          <Link className="link" href={addressOf("runs") + searchFor(group)}>
            {scorer === undefined ? "All failed runs of this group" : `All runs of ${visible(flow)} with a score of ${visible(scorer)}`}
          </Link>
        </section>
      </div>
    </aside>
  )
}

const STATUS_WORDS: Readonly<Record<Status, string>> = { open: "Open", muted: "Muted", resolved: "Resolved" }

function forkWords({ count }: FailureGroup, revision: number | undefined): string {
  const whom =
    count === 1 ? "Fork it" : count > MAX_FORKED ? `Fork the newest ${MAX_FORKED} of ${count.toLocaleString()}` : `Fork all ${count}`
  return revision === undefined ? whom : `${whom} with r${revision}`
}
