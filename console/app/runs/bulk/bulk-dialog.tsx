// Asks once before something is done with the selected runs: how many it is for, what leaves, what it costs [R43]. Deleting asks for the number.

import { useMemo, useState, type KeyboardEvent } from "react"
import type { BulkWish } from "../../../../src/api/run/bulk.ts"
import { BulkClient } from "../../../../src/client/bulk.ts"
import { doneBy, partsOf, partsUnread, type BulkAction, type Part } from "../../../../web/runs/parts.ts"
import { STATUSES } from "../../../../web/runs/query.ts"
import { bulkOf, sizeOf, type Selection } from "../../../../web/runs/selection.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { faultOf } from "../../parts/fault.ts"
import { counted, money } from "../../parts/figures.ts"
import { useAsked } from "../../parts/asked.ts"
import { Icon } from "../../shell/icons.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import type { Row } from "../row.ts"
import { actOnOne } from "./act-on-one.ts"
import { Leaves, type Leaving } from "./leaves.tsx"
import css from "./bulk.module.css"

interface Props {
  readonly api: Api
  readonly action: BulkAction
  readonly selection: Selection
  /** Those that were read. */
  readonly rows: readonly Row[]
  /** What else is worth knowing of these runs. */
  readonly note?: string | undefined
  /** Words: it is done. */
  readonly onClose: (said?: string) => void
}

/** Limits of a bulk [R42]. */
const MOST_RUNS = 10_000
const MOST_NAMED = 1_000
/** Runs that the question names one by one. */
const MOST_SHOWN = 8

export function BulkDialog({ api, action, selection, rows, note, onClose }: Props) {
  const bulk = useMemo(() => new BulkClient(api.transport), [api])
  const [of] = useState(() => bulkOf(selection))
  const [size] = useState(() => sizeOf(selection))
  const [chosen] = useState(() => rows.filter(({ id }) => selection.ids.has(id)))
  const [leaving, setLeaving] = useState<Leaving>(action === "fork" ? "staged" : "same")
  const [typed, setTyped] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const isNew = action === "fork" || action === "again"
  const isTooMany = size > MOST_RUNS || ("runs" in of && of.runs.length > MOST_NAMED)
  const about = useAsked(
    ["once", "bulk", action, of],
    async () => {
      const [check, statuses, revision] = await Promise.all([
        isTooMany ? undefined : bulk.check({ action, ...of }),
        "filter" in of
          ? api.runs.counts("status", of.filter).then(({ data }) => data.map(({ key, count }) => [key, count] as const))
          : chosen.length === size
            ? STATUSES.map((status) => [status, chosen.filter((row) => row.status === status).length] as const)
            : undefined,
        action === "fork" ? api.catalog.list().then((catalog) => catalog.revision) : undefined,
      ])
      return { check, statuses: statuses && Object.fromEntries(statuses), revision }
    },
    { isFresh: true },
  )
  const { check, statuses, revision } = about.value ?? {}
  const parts =
    check === undefined
      ? undefined
      : withLeftOut(statuses === undefined ? partsUnread(action, size) : partsOf(action, statuses), check.count)
  const count = parts === undefined ? 0 : doneBy(parts)
  const wish = (runs: BulkWish["runs"] | undefined): BulkWish => ({
    action,
    ...(runs === undefined ? of : { runs }),
    ...(runs === undefined && "filter" in of ? { most: Math.max(1, check?.count ?? 1) } : {}),
    ...(action === "fork"
      ? {
          fork: {
            from: "failed",
            ...(revision === undefined ? {} : { patch: { revision } }),
            ...(leaving === "same" ? {} : { effects: leaving }),
          },
        }
      : {}),
    ...(action === "again" && leaving !== "same" ? { again: { effects: leaving } } : {}),
  })
  const problem = isTooMany
    ? `At most ${("runs" in of ? MOST_NAMED : MOST_RUNS).toLocaleString()} runs at once: narrow the search, such as by time.`
    : check?.complete === false
      ? "Too many runs to check. Narrow the search, for example by time."
      : undefined
  const isReady = about.value !== undefined && problem === undefined && count > 0 && (action !== "delete" || typed.trim() === String(count))
  const start = (runs?: BulkWish["runs"]): void => {
    if (isBusy || !isReady) return
    setBusy(true)
    setFault(undefined)
    const [one] = runs === undefined ? chosen : rows.filter(({ id }) => id === runs[0])
    const isOne = one !== undefined && (runs?.length ?? size) === 1
    const began = isOne
      ? actOnOne(api, action, one, { ...(leaving === "same" ? {} : { effects: leaving }), revision }).then((run) =>
          run === undefined ? undefined : addressOf("runs", run),
        )
      : bulk.start(wish(runs)).then(({ id }) => addressOf("runs", "bulk", id))
    began.then(
      (address) => {
        onClose(`${VERBS[action].past} ${counted(runs?.length ?? count, "run")}.`)
        if (address !== undefined) go(address)
      },
      (error: unknown) => {
        setBusy(false)
        setFault(faultOf(error))
      },
    )
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    start()
  }
  const [first] = "runs" in of ? of.runs : (check?.runs ?? [])
  const cost = costOf(action, chosen.length === size ? chosen : rows, count, chosen.length === size)
  return (
    <Dialog title={titleOf(action, size)} onClose={() => onClose()}>
      <div className="dlg-l" onKeyDown={pressed} data-reading={about.value === undefined && about.fault === undefined ? "" : undefined}>
        {parts && <Parts parts={parts} />}
        {chosen.length === size && size <= MOST_SHOWN && (
          <ul className={css.named}>
            {chosen.map(({ id, flow, task }) => (
              <li key={id}>
                <b>{flow}</b>
                <span className="cut">{task}</span>
                <span className="id dim">{id}</span>
              </li>
            ))}
          </ul>
        )}
        {note !== undefined && <p className="mid">{note}</p>}
        {isNew && check && <Leaves action={action} effects={check.effects} value={leaving} onChange={setLeaving} />}
        {isNew && (
          <dl className="kv">
            {cost !== undefined && (
              <>
                <dt>Cost</dt>
                <dd>{cost}</dd>
              </>
            )}
            {revision !== undefined && (
              <>
                <dt>Revision</dt>
                <dd>r{revision}, the newest</dd>
              </>
            )}
            <dt>Pace</dt>
            <dd>ten at a time, after today’s other runs</dd>
          </dl>
        )}
        {action === "delete" && count > 0 && (
          <div className="field">
            <p>Journals and files go; sums of usage stay. This cannot be undone.</p>
            <label htmlFor="bulk-count">Type {count} to go on</label>
            <input
              id="bulk-count"
              className="input"
              data-autofocus
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </div>
        )}
        {[problem, about.fault, fault].map(
          (words) =>
            words !== undefined && (
              <p className="msg error words" role="alert" key={words}>
                <Icon name="failed" kind="i-s" />
                <span>{words}</span>
              </p>
            ),
        )}
      </div>
      <div className="dlg-f" onKeyDown={pressed}>
        <button
          className={action === "delete" || action === "cancel" ? "btn danger" : "btn first"}
          type="button"
          aria-disabled={isBusy || !isReady}
          onClick={() => start()}
        >
          {isBusy
            ? VERBS[action].busy
            : about.value !== undefined && count === 0
              ? "Nothing to do"
              : `${VERBS[action].now} ${counted(count, "run")}`}{" "}
          <kbd>Ctrl Enter</kbd>
        </button>
        {isNew && count > 1 && first !== undefined && (
          <button className="btn" type="button" aria-disabled={isBusy || !isReady} onClick={() => start([first])}>
            Try one first
          </button>
        )}
        <button className="btn" type="button" onClick={() => onClose()}>
          Back
        </button>
      </div>
    </Dialog>
  )
}

function Parts({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <ul className={css.parts} aria-label="What happens to how many">
      {parts.map(({ count, does, why }) => (
        <li key={does + (why ?? "")}>
          <b className="num">{count.toLocaleString()}</b>
          <span>{does}</span>
          <span className="dim small">{why}</span>
        </li>
      ))}
    </ul>
  )
}

const VERBS: Readonly<Record<BulkAction, { readonly now: string; readonly busy: string; readonly past: string }>> = {
  cancel: { now: "Cancel", busy: "Canceling", past: "Canceled" },
  again: { now: "Start", busy: "Starting", past: "Started" },
  fork: { now: "Fork", busy: "Forking", past: "Forked" },
  delete: { now: "Delete", busy: "Deleting", past: "Deleted" },
}

function titleOf(action: BulkAction, size: number): string {
  const runs = counted(size, "run")
  if (action === "fork") return size === 1 ? "Fork the run with the newest revision?" : `Fork ${runs} with the newest revision?`
  if (action === "again") return size === 1 ? "Run it again?" : `Run ${runs} again?`
  return `${VERBS[action].now} ${runs}?`
}

/** Children and runs of tests are left out of a bulk [R42]. */
function withLeftOut(parts: readonly Part[], count: number): readonly Part[] {
  const more = parts.reduce((sum, part) => sum + part.count, 0) - count
  if (more <= 0) return parts
  const [largest] = parts.toSorted((a, b) => b.count - a.count)
  return [
    ...parts.flatMap((part) => (part !== largest ? [part] : part.count > more ? [{ ...part, count: part.count - more }] : [])),
    { count: more, does: "are left out", why: "child runs, runs of tests, or deleted", isSkipped: true },
  ]
}

/** `isAll`: these rows are what is selected; else they are some of it. */
function costOf(action: BulkAction, rows: readonly Row[], count: number, isAll: boolean): string | undefined {
  const known = rows.flatMap(({ usage }) => (usage.usd === null ? [] : [usage.usd]))
  if (known.length === 0 || count === 0) return undefined
  const sum = known.reduce((all, usd) => all + usd, 0)
  const about = isAll && known.length === rows.length ? sum : (sum / known.length) * count
  const most = action === "fork" ? "at most about" : "about"
  return `${most} ${money(about)}, by what ${isAll ? "these runs" : `${counted(known.length, "run")} of the list`} cost`
}
