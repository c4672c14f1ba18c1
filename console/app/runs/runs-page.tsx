// Runs: what there is, what it does now, and what needs a person. The address says what the list is narrowed to.

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { clockTime } from "../../../web/clock.ts"
import { useKeys } from "../shell/keys.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { useNow } from "../parts/use-now.ts"
import { Opened } from "../parts/dialog.tsx"
import { counted } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
import { Skeleton } from "../parts/skeleton.tsx"
import { askedBy, nameOf, readAddress, replaced, searchOf, SORTS, valueOf, type Query } from "../../../web/runs/query.ts"
import type { BulkAction } from "../../../web/runs/parts.ts"
import { BulkBar } from "./bulk/bulk-bar.tsx"
import { OverTime } from "./over-time.tsx"
import { QueryBar } from "./query-bar.tsx"
import { RangeMenu } from "./range-menu.tsx"
import { RunTable } from "./run-table.tsx"
import { RunsFoot } from "./runs-foot.tsx"
import { RunsTabs } from "./runs-tabs.tsx"
import { useRunList } from "./use-run-list.ts"
import { useSelection } from "./use-selection.ts"
import { useTriggerNames, useValues } from "./use-values.ts"
import { useViews } from "./use-views.ts"
import { ViewsRow } from "./views-row.tsx"
import { classes } from "../parts/classes.ts"
import { later } from "../parts/later.ts"
import css from "./runs.module.css"

const BulkDialog = later(async () => (await import("./bulk/bulk-dialog.tsx")).BulkDialog)
const NewRun = later(async () => (await import("./new-run.tsx")).NewRun)
const SaveView = later(async () => (await import("./save-view.tsx")).SaveView)

const SORT_WORDS: Readonly<Record<(typeof SORTS)[number], string>> = {
  newest: "Newest first",
  oldest: "Oldest first",
  cost: "Highest cost",
  duration: "Longest time",
}
const NOTHING: Query = { tokens: [], words: "" }
/** A query that is being written begins no new list with every minute that passes. */
const MINUTE = 60_000

export function RunsPage({ api }: { readonly api: Api }) {
  const address = useQuery()
  const query = useMemo(() => readAddress(address), [address])
  const search = searchOf(query)
  const asked = useMemo(() => askedBy(query, Math.floor(Date.now() / MINUTE) * MINUTE), [query])
  const list = useRunList(api, asked)
  const { rows, fresh, isLive, fault, hasMore, isCut, counts, isCounted, show, more, again } = list
  const [current, setCurrent] = useState<string>()
  const now = useNow(1_000)
  const field = useRef<HTMLInputElement>(null)
  const [isWriting, setWriting] = useState(false)
  const values = useValues(api, rows, isWriting)
  const names = useTriggerNames(api, rows)
  const { views, save, remove } = useViews()
  const [isSaving, setSaving] = useState(false)
  useEffect(() => titled("Runs"), [])
  const change = useCallback((next: Query, how: "push" | "replace" = "replace") => {
    // In one order, so that equal views have one address.
    const to = searchOf(next)
    if (to !== location.search) go(addressOf("runs") + to, how)
  }, [])
  const total = Object.entries(counts).reduce(
    (sum, [status, count]) => sum + (valueOf(query, "status")?.split(",").includes(status) === false ? 0 : count),
    0,
  )
  const selection = useSelection(rows ?? [], search)
  const [doing, setDoing] = useState<BulkAction>()
  const [said, setSaid] = useState("")
  const mayWrite = api.who.scopes.includes("runs:write")
  // With none selected, it is about the row that the keys are at.
  const begin = (action: BulkAction): boolean => {
    if (!mayWrite || (selection.isEmpty && (current === undefined || rows?.some(({ id }) => id === current) !== true))) return false
    setDoing(action)
    return true
  }
  const move = (by: number): string | undefined => {
    if (!rows || rows.length === 0) return undefined
    const at = rows.findIndex(({ id }) => id === current)
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))]?.id
    setCurrent(next)
    return next
  }
  const reach = (by: number): void => {
    const from = current
    const to = move(by)
    if (to === undefined) return
    if (from !== undefined && selection.isEmpty) selection.pick(from, false)
    selection.pick(to, true)
  }
  const selectAll = (): void => selection.pickMatching(asked, total)
  useKeys("list", {
    next: () => move(1),
    previous: () => move(-1),
    filter: () => field.current?.focus(),
    fresh: show,
    select: () => (current === undefined ? false : selection.pick(current, false)),
    cancel: () => begin("cancel"),
    clear: () => (selection.isEmpty ? false : selection.clear()),
    new: () => (mayWrite ? goQuery({ new: "1" }, "push") : false),
  })
  useKeys("find", {
    selectNext: () => reach(1),
    selectPrevious: () => reach(-1),
    all: () => (rows === undefined || rows.length === 0 ? false : selectAll()),
    again: () => begin("again"),
    fork: () => begin("fork"),
    remove: () => begin("delete"),
    save: () => (search === "" || views.some((view) => view.search === search) ? false : setSaving(true)),
  })
  const isNarrowed = search !== ""
  const clear = (): void => change(NOTHING, "push")
  return (
    <main id="main">
      <div className={classes("page", css.runs)}>
        <RunsTabs tab="runs">
          <span className={isLive ? "live" : "live is-late"} role="status">
            <i />
            {isLive ? "Live" : "Not live"}
          </span>
          <span className="grow" />
          {mayWrite && (
            <button className="btn first" type="button" onClick={() => goQuery({ new: "1" }, "push")}>
              <Icon name="plus" />
              New run <kbd>N</kbd>
            </button>
          )}
        </RunsTabs>
        <ViewsRow
          api={api}
          status={valueOf(query, "status")}
          counts={counts}
          isCounted={isCounted}
          onStatus={(status) => change(replaced(query, "status", status), "push")}
          views={views}
          search={search}
          onSave={() => setSaving(true)}
          onRemove={() => remove(search)}
        />
        <div className={css.filters}>
          <QueryBar query={query} field={field} values={values} names={names} onChange={change} onBegin={() => setWriting(true)} />
          <RangeMenu
            since={valueOf(query, "since")}
            until={valueOf(query, "until")}
            onChange={(since, until) => change(replaced(replaced(query, "since", since), "until", until), "push")}
          />
          <Select
            className={css.sort}
            aria-label="Sort"
            value={SORTS.find((sort) => sort === valueOf(query, "sort")) ?? "newest"}
            choices={SORTS.map((sort) => ({ value: sort, words: SORT_WORDS[sort] }))}
            onChange={(sort) => change(replaced(query, "sort", sort === "newest" ? undefined : sort), "push")}
          />
        </div>
        <OverTime
          api={api}
          asked={asked}
          onRange={(since, until) => change(replaced(replaced(query, "since", since), "until", until), "push")}
        />
        <p className="vh" role="status">
          {said}
        </p>
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
        <div className={classes("panel", css.list)}>
          {selection.isWhole && total > selection.size && (
            <p className={css.whole} role="status">
              <span>{counted(selection.size, "run")} shown here are selected.</span>
              <button className="link" type="button" onClick={selectAll}>
                Select all {total.toLocaleString()}
                {isCounted ? "" : "+"} that match <kbd>Shift A</kbd>
              </button>
            </p>
          )}
          {selection.all !== undefined && (
            <p className={css.whole} role="status">
              <span>
                All <b>{selection.size.toLocaleString()}</b> that match are selected, as of {clockTime(selection.all.at)}. Later runs are
                not added.
              </span>
              <button className="link" type="button" onClick={selection.pickShown}>
                Only those shown here
              </button>
            </p>
          )}
          {rows === undefined ? (
            fault === undefined && <Skeleton words="Reading the runs" />
          ) : rows.length > 0 ? (
            <RunTable
              rows={rows}
              current={current}
              picked={selection.picked}
              now={now}
              names={names}
              scorer={valueOf(query, "scorer")}
              hasMore={hasMore && !isCut}
              onNear={more}
              onPick={selection.pick}
              onPickAll={selection.isWhole || selection.all !== undefined ? selection.clear : selection.pickShown}
            />
          ) : isNarrowed ? (
            <div className="empty-state">
              <h2>No run matches</h2>
              <p className="mid">
                {isCut
                  ? `None of the newest ${(list.cuts * 5_000).toLocaleString()} runs does. Older ones have not been searched.`
                  : "Searched all runs."}
              </p>
              <div className="bar">
                {isCut && (
                  <button className="btn first" type="button" aria-disabled={list.isReading} onClick={more}>
                    {list.isReading ? "Searching" : "Search older runs"}
                  </button>
                )}
                <button className="btn" type="button" onClick={clear}>
                  Clear filter
                </button>
              </div>
            </div>
          ) : (
            <div className="empty-state">
              <p className="mid">Your runs appear here, newest first. There are none yet.</p>
              {mayWrite && (
                <button className="btn first" type="button" onClick={() => goQuery({ new: "1" }, "push")}>
                  <Icon name="plus" />
                  Start a run
                </button>
              )}
            </div>
          )}
        </div>
        <RunsFoot list={list} isSorted={valueOf(query, "sort") === "cost" || valueOf(query, "sort") === "duration"} />
        {!selection.isEmpty && <BulkBar count={selection.size} mayWrite={mayWrite} onAct={begin} onClear={selection.clear} />}
      </div>
      {doing !== undefined && (
        <Opened title="This action" onClose={() => setDoing(undefined)}>
          <BulkDialog
            api={api}
            action={doing}
            selection={selection.isEmpty && current !== undefined ? { ids: new Set([current]) } : selection.chosen}
            rows={rows ?? []}
            onClose={(words) => {
              setDoing(undefined)
              if (words === undefined) return
              setSaid(words)
              selection.clear()
            }}
          />
        </Opened>
      )}
      {isSaving && (
        <Opened title="Save view" onClose={() => setSaving(false)}>
          <SaveView
            name={nameOf(query)}
            taken={views.map(({ name }) => name)}
            onSave={(name) => save({ name, search })}
            onClose={() => setSaving(false)}
          />
        </Opened>
      )}
      {address.get("new") !== null && mayWrite && (
        <Opened title="New run" onClose={() => goQuery({ new: undefined })}>
          <NewRun api={api} onClose={() => goQuery({ new: undefined })} />
        </Opened>
      )}
    </main>
  )
}
