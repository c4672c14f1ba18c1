// Failures [H14]: how runs fail, in groups. The address names the group that is open, /console/runs/failures/KEY; `?status=` says which are
// listed, `?rehearsed=1` shows rehearsed runs instead, and `?low=1` succeeded runs with a low score [V18].

import { useEffect, useMemo, useRef, useState } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { faultOf } from "../parts/fault.ts"
import { counted, fullTime } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { SMALL } from "../parts/use-media.ts"
import { useNow } from "../parts/use-now.ts"
import { RunsTabs } from "../runs/runs-tabs.tsx"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { ForkGroup } from "./fork-group.tsx"
import { GroupDetail } from "./group-detail.tsx"
import { GroupTable, groupAddress } from "./group-table.tsx"
import { FindGroups } from "./find-groups.tsx"
import { useGroups } from "./use-groups.ts"
import { useRehearsals } from "./use-rehearsals.ts"
import { classes } from "../parts/classes.ts"
import css from "./failures.module.css"
import runsCss from "../runs/runs.module.css"

type Status = FailureGroup["status"]

const CHIPS = [
  ["open", "Open", "failed"],
  ["muted", "Muted", "mute"],
  ["resolved", "Resolved", "check"],
] as const satisfies readonly (readonly [Status, string, string])[]
const SAID: Readonly<Record<Status, string>> = { open: "Reopened", muted: "Muted", resolved: "Resolved" }
const NONE: Readonly<Record<Status, string>> = {
  open: "No failure is open.",
  muted: "No group is muted.",
  resolved: "No group is resolved.",
}

export function FailuresPage({ api, selected }: { readonly api: Api; readonly selected: string | undefined }) {
  const query = useQuery()
  const status = CHIPS.find(([name]) => name === query.get("status"))?.[0] ?? "open"
  const isRehearsed = query.get("rehearsed") === "1"
  const isLow = query.get("low") === "1"
  const [flow, q] = [query.get("flow") ?? "", query.get("q") ?? ""]
  const asked = useMemo(() => ({ flow, q, isLow }), [flow, q, isLow])
  const isNarrowed = flow !== "" || q !== ""
  const field = useRef<HTMLInputElement>(null)
  const { groups, fresh, fault, read, show, again, mark } = useGroups(api, isRehearsed, asked)
  const rehearsals = useRehearsals(api, isRehearsed)
  const now = useNow(10_000)
  const [said, setSaid] = useState("")
  const [marking, setMarking] = useState<{ readonly key: string; readonly fault?: string }>()
  const [moves, setMoves] = useState(0)
  const [forks, setForks] = useState<{ readonly group: FailureGroup; readonly isAll: boolean }>()
  const revision = useAsked(["catalog", "revision"], async () => (await api.catalog.list()).revision)
  const shown = useMemo(() => groups?.filter((group) => group.status === status), [groups, status])
  const group = groups?.find(({ key }) => key === selected)
  useEffect(() => titled("Failures"), [])
  const first = shown?.[0]?.key
  useEffect(() => {
    if (selected === undefined && first !== undefined && !matchMedia(SMALL).matches) go(groupAddress(first), "replace")
  }, [selected, first])
  const isGone = isNarrowed && groups !== undefined && selected !== undefined && group === undefined
  useEffect(() => {
    // What the search does not have is not open beside it.
    if (isGone) go(first === undefined ? addressOf("runs", "failures") + location.search : groupAddress(first), "replace")
  }, [isGone, first])
  const at = shown?.findIndex(({ key }) => key === selected) ?? -1
  const move = (by: number): void => {
    if (!shown || shown.length === 0) return
    const next = shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))]
    if (next) go(groupAddress(next.key), "replace")
    setMoves(moves + 1)
  }
  const listAddress = addressOf("runs", "failures") + location.search
  const busy = useRef(false)
  const change = (to: Status): void => {
    if (!group || busy.current || !mayWrite) return
    busy.current = true
    setMarking({ key: group.key })
    const next = at < 0 ? undefined : (shown?.[at + 1] ?? shown?.[at - 1])
    mark(group, to)
      .then(
        () => {
          setMarking(undefined)
          setSaid(`${SAID[to]}: ${group.message}`)
          if (to === status) return
          go(next && !matchMedia(SMALL).matches ? groupAddress(next.key) : listAddress, "replace")
          setMoves((before) => before + 1)
        },
        (error: unknown) => setMarking({ key: group.key, fault: faultOf(error) }),
      )
      .finally(() => (busy.current = false))
  }
  const mayWrite = api.who.scopes.includes("runs:write")
  const refused = !mayWrite
    ? "This session may read runs only: runs:write is missing."
    : !api.who.scopes.includes("catalog:write")
      ? "A fork with the newest revision needs catalog:write, which this session does not have."
      : revision.fault === undefined
        ? undefined
        : `The newest revision could not be read. ${revision.fault}`
  const fork = (isAll: boolean): void => {
    if (group && refused === undefined && revision.value !== undefined) setForks({ group, isAll })
  }
  useKeys("list", { next: () => move(1), previous: () => move(-1), fresh: show, filter: () => field.current?.focus() })
  useKeys("failures", {
    mute: () => (group === undefined || group.status === "resolved" ? false : change(group.status === "muted" ? "open" : "muted")),
    resolve: () => (group === undefined ? false : change(group.status === "resolved" ? "open" : "resolved")),
    forkAll: () => fork(true),
  })
  const days = (shown ?? []).reduce((sum, one) => sum + one.days.reduce((all, { count }) => all + count, 0), 0)
  return (
    <main id="main" className={classes("page", css.failures)} data-pane={selected === undefined ? undefined : "one"}>
      <RunsTabs tab="failures">
        {shown !== undefined && (
          <span className="dim">
            {counted(days, isLow ? "run with a low score" : "failed run", isLow ? "runs with a low score" : undefined)} in 14 days,{" "}
            {counted(shown.length, "group")}
          </span>
        )}
        <span className="grow" />
        <div className={runsCss.chips} role="group" aria-label="Status">
          {CHIPS.map(([name, label, icon]) => (
            <button
              className="chip"
              key={name}
              type="button"
              aria-pressed={status === name}
              onClick={() => go(`${addressOf("runs", "failures")}${searchWith(query, "status", name === "open" ? undefined : name)}`)}
            >
              <Icon name={icon} kind="i-s" />
              {label}
              {groups !== undefined && <b>{groups.filter((one) => one.status === name).length}</b>}
            </button>
          ))}
          <button
            className="chip"
            type="button"
            aria-pressed={isLow}
            onClick={() => go(`${addressOf("runs", "failures")}${searchWith(query, "low", isLow ? undefined : "1")}`)}
          >
            Low scores
          </button>
          <button
            className="chip"
            type="button"
            aria-pressed={isRehearsed}
            onClick={() => go(`${addressOf("runs", "failures")}${searchWith(query, "rehearsed", isRehearsed ? undefined : "1")}`)}
          >
            Rehearsed
          </button>
        </div>
      </RunsTabs>
      <FindGroups api={api} flow={flow} q={q} field={field} />
      <p className="vh" role="status">
        {said}
      </p>
      {fault !== undefined && (
        <p className="note failed" role="alert">
          <Icon name="failed" />
          <span>
            {groups === undefined ? "The failures could not be read. " : `These counts are of ${fullTime(read)}. `}
            {fault}
          </span>
          <button className="btn" type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
      {fresh > 0 && (
        <button className={runsCss.fresh} type="button" onClick={show}>
          <Icon name="up" kind="i-s" />
          {counted(fresh, "new group")} <kbd>.</kbd>
        </button>
      )}
      {selected !== undefined && (
        <Link className={classes("btn bare", css.back)} href={listAddress}>
          <Icon name="left" kind="i-s" />
          Failures
        </Link>
      )}
      <div className={css.fCols}>
        <section className={classes("panel", css.fList)} aria-label="Groups">
          {shown === undefined ? (
            fault === undefined && <Skeleton words="Reading the failures" />
          ) : shown.length > 0 ? (
            <GroupTable key={status} groups={shown} selected={selected} now={now} moves={moves} />
          ) : (
            <div className="empty-state">
              <h2>
                {isNarrowed
                  ? "No group matches"
                  : groups?.length === 0
                    ? isLow
                      ? "No score was low in 14 days"
                      : "Nothing failed in 14 days"
                    : NONE[status]}
              </h2>
              <p className="mid">
                {isLow
                  ? "Succeeded runs come here if a score is below what their rule of scoring says."
                  : "Runs that fail come here, grouped by what went wrong."}{" "}
                {groups !== undefined && groups.length > 0 && status !== "open" && "Choose Open to see the rest."}
              </p>
              {(status !== "open" || isNarrowed) && (
                <button className="btn" type="button" onClick={() => goQuery({ status: undefined, flow: undefined, q: undefined }, "push")}>
                  Clear filter
                </button>
              )}
            </div>
          )}
          {!isRehearsed && !isLow && rehearsals > 0 && (
            <p className={classes(css.left, "mid")}>
              {counted(rehearsals, "failed rehearsal")} {rehearsals === 1 ? "is" : "are"} left out.
              <button className="btn bare" type="button" onClick={() => goQuery({ rehearsed: "1" }, "push")}>
                Show
              </button>
            </p>
          )}
        </section>
        {group ? (
          <GroupDetail
            key={group.key}
            api={api}
            group={group}
            now={now}
            isBusy={!mayWrite || (marking?.key === group.key && marking.fault === undefined)}
            fault={marking?.key === group.key ? marking.fault : undefined}
            revision={revision.value}
            refused={refused}
            onMark={change}
            onFork={fork}
          />
        ) : (
          selected !== undefined &&
          groups !== undefined && (
            <aside className="panel empty-state" aria-label="The selected group">
              <h2>There is no such group</h2>
              <p className="mid">Only the 500 most recently seen groups are kept.</p>
            </aside>
          )
        )}
      </div>
      <p className="dim small f-foot">
        Grouped by flow, step, source and the shape of the message: numbers, quoted text, ids, keys and addresses are left out of it. Muted
        groups keep counting; a resolved group that fails again comes back.
      </p>
      {forks && revision.value !== undefined && (
        <ForkGroup api={api} group={forks.group} isAll={forks.isAll} onClose={() => setForks(undefined)} />
      )}
    </main>
  )
}

function searchWith(query: URLSearchParams, name: string, value: string | undefined): string {
  const next = new URLSearchParams(query)
  if (value === undefined) next.delete(name)
  else next.set(name, value)
  return next.size === 0 ? "" : `?${next.toString()}`
}
