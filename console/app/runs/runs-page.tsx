// Runs: what there is, what it does now, and what needs a person. The address says what the list is narrowed to.

import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"
import { useKeys } from "../shell/keys.ts"
import { Icon, type IconName } from "../shell/icons.tsx"
import { goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { useNow } from "../parts/use-now.ts"
import { Opening } from "../parts/dialog.tsx"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { matches, narrowed } from "./filter.ts"
import { isLive as isGoing } from "./row.ts"
import { RunTable } from "./run-table.tsx"
import { RunsTabs } from "./runs-tabs.tsx"
import { useRunList } from "./use-run-list.ts"
import { classes } from "../parts/classes.ts"
import css from "./runs.module.css"

const CancelRuns = lazy(async () => ({ default: (await import("./cancel-runs.tsx")).CancelRuns }))
const NewRun = lazy(async () => ({ default: (await import("./new-run.tsx")).NewRun }))

const CHIPS = [
  ["", "All", undefined],
  ["waiting", "Waiting", "waiting"],
  ["running", "Running", "running"],
  ["failed", "Failed", "failed"],
  ["succeeded", "Succeeded", "succeeded"],
] as const satisfies readonly (readonly [string, string, IconName | undefined])[]

const NONE: ReadonlySet<string> = new Set()
/** What is typed is in the address after this pause. */
const TYPED_MS = 250
/** Rows that words are looked for in before the reader is asked whether to look further. */
const MAX_LOOKED = 2_000

export function RunsPage({ api }: { readonly api: Api }) {
  const query = useQuery()
  const { filter, words } = useMemo(() => narrowed(query), [query])
  const { rows, fresh, isLive, fault, hasMore, counts, show, more, again } = useRunList(api, filter)
  const [selected, setSelected] = useState<string>()
  const now = useNow(1_000)
  const field = useRef<HTMLInputElement>(null)
  const found = useMemo(() => rows?.filter((row) => matches(row, words)), [rows, words])
  const [limit, setLimit] = useState(MAX_LOOKED)
  const isSeeking = words.length > 0 && found !== undefined && rows !== undefined && found.length < 30 && hasMore
  const mayLook = rows === undefined || rows.length < limit
  useEffect(() => {
    if (isSeeking && mayLook) more()
  }, [isSeeking, mayLook, more, rows?.length])
  useEffect(() => titled("Runs"), [])
  const move = (by: number): void => {
    if (!found || found.length === 0) return
    const at = found.findIndex(({ id }) => id === selected)
    setSelected(found[Math.max(0, Math.min(found.length - 1, at < 0 ? 0 : at + by))]?.id)
  }
  const [picked, setPicked] = useState<ReadonlySet<string>>(NONE)
  const [isCanceling, setCanceling] = useState(false)
  const pick = (): void => {
    if (selected === undefined) return
    setPicked(new Set(picked.has(selected) ? [...picked].filter((id) => id !== selected) : [...picked, selected]))
  }
  // With none picked, it is about the row that the keys are at.
  const live = found?.filter((row) => isGoing(row) && (picked.size > 0 ? picked.has(row.id) : row.id === selected)) ?? []
  const isNew = query.get("new") !== null
  useKeys("list", {
    next: () => move(1),
    previous: () => move(-1),
    filter: () => field.current?.focus(),
    fresh: show,
    select: pick,
    cancel: () => (live.length > 0 ? setCanceling(true) : false),
    clear: () => (picked.size > 0 ? setPicked(NONE) : false),
    new: () => goQuery({ new: "1" }, "push"),
  })
  const isNarrowed = query.get("q") !== null || query.get("status") !== null
  return (
    <main id="main">
      <div className="page runs">
        <RunsTabs tab="runs">
          <span className={isLive ? "live" : "live is-late"} role="status">
            <i />
            {isLive ? "Live" : "Not live"}
          </span>
          <span className="grow" />
          <button className="btn first" type="button" onClick={() => goQuery({ new: "1" }, "push")}>
            <Icon name="plus" />
            New run <kbd>N</kbd>
          </button>
        </RunsTabs>
        <div className={css.filters}>
          <Filter key={query.get("q") ?? ""} given={query.get("q") ?? ""} field={field} />
          <div className={css.chips} role="group" aria-label="Status">
            {CHIPS.map(([status, label, icon]) => (
              <button
                key={label}
                className="chip"
                type="button"
                aria-pressed={(query.get("status") ?? "") === status}
                onClick={() => goQuery({ status }, "push")}
              >
                {icon && <Icon name={icon} kind={counts[status] === 0 ? "i-s dim" : `i-s ${status}`} />}
                {label}
                {counts[status] !== undefined && <b>{counts[status].toLocaleString()}</b>}
              </button>
            ))}
          </div>
        </div>
        {fault !== undefined && (
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>
              {rows === undefined ? "The runs could not be read. " : "These rows are as they were last read. "}
              {fault}
            </span>
            <button className="btn" type="button" onClick={again}>
              Try again
            </button>
          </p>
        )}
        {fresh > 0 && (
          <button
            className={css.fresh}
            type="button"
            onClick={() => {
              show()
              scrollTo(0, 0)
            }}
          >
            <Icon name="up" kind="i-s" />
            {counted(fresh, "new run")} <kbd>.</kbd>
          </button>
        )}
        {picked.size > 0 && (
          <p className={css.picks} role="status">
            <b>{counted(picked.size, "run")} selected</b>
            <button className="btn danger" type="button" aria-disabled={live.length === 0} onClick={() => setCanceling(live.length > 0)}>
              {live.length === 0
                ? "None of them goes on"
                : live.length === picked.size
                  ? "Cancel"
                  : live.length === 1
                    ? "Cancel the one that goes on"
                    : `Cancel the ${live.length} that go on`}{" "}
              <kbd>C</kbd>
            </button>
            <button className="btn bare" type="button" onClick={() => setPicked(NONE)}>
              Clear <kbd>Esc</kbd>
            </button>
          </p>
        )}
        <div className={classes("panel", css.list)}>
          {found === undefined ? (
            fault === undefined && <Skeleton words="Reading the runs" />
          ) : found.length > 0 ? (
            <RunTable rows={found} selected={selected} picked={picked} now={now} hasMore={hasMore} onNear={more} />
          ) : isSeeking && mayLook ? (
            <Skeleton words="Reading the runs" />
          ) : isNarrowed ? (
            <div className="empty-state">
              <p className="mid">
                No run matches.
                {words.length > 0 && hasMore ? ` Looked through the newest ${(rows?.length ?? 0).toLocaleString()} runs.` : ""}
              </p>
              <div className="bar">
                {words.length > 0 && hasMore && (
                  <button className="btn" type="button" onClick={() => setLimit(limit + MAX_LOOKED)}>
                    Look further
                  </button>
                )}
                <button className="btn" type="button" onClick={() => goQuery({ q: undefined, status: undefined }, "push")}>
                  Clear filter
                </button>
              </div>
            </div>
          ) : (
            <div className="empty-state">
              <p className="mid">Runs are listed here, the newest first. There is none yet.</p>
              <button className="btn first" type="button" onClick={() => goQuery({ new: "1" }, "push")}>
                <Icon name="plus" />
                Start a run
              </button>
            </div>
          )}
        </div>
        <p className={classes(css.foot, "dim small")}>
          <span className={css.keys}>
            <kbd>J</kbd> <kbd>K</kbd> move <kbd>Enter</kbd> open <kbd>X</kbd> select <kbd>C</kbd> cancel <kbd>/</kbd> filter <kbd>?</kbd>{" "}
            all keys
          </span>
          <span className="grow" />
          {found !== undefined && found.length > 0 && `${found.length.toLocaleString()}${hasMore ? " and more" : ""}`}
        </p>
      </div>
      {isCanceling && (
        <Suspense fallback={<Opening />}>
          <CancelRuns
            api={api}
            rows={live}
            onClose={(isDone) => {
              setCanceling(false)
              if (isDone) setPicked(NONE)
            }}
          />
        </Suspense>
      )}
      {isNew && (
        <Suspense fallback={<Opening />}>
          <NewRun api={api} onClose={() => goQuery({ new: undefined })} />
        </Suspense>
      )}
    </main>
  )
}

function Filter({ given, field }: { readonly given: string; readonly field: React.RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState(given)
  useEffect(() => {
    if (text === given) return
    const timer = setTimeout(() => {
      goQuery({ q: text })
    }, TYPED_MS)
    return () => clearTimeout(timer)
  }, [text, given])
  return (
    <label className={css.q}>
      <Icon name="search" kind="i-s dim" />
      <span className="vh">Filter runs</span>
      <input
        ref={field}
        className="input"
        type="search"
        value={text}
        placeholder="Filter: words, flow:NAME, tag:NAME, failed"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Escape") currentTarget.blur()
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
