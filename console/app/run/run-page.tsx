// One run: where it is (graph), when and how long (timeline), and what was said and done (detail), with one selection in all three and in the
// address. It is live until it ends, and can be shown as it was after any event.

import { Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from "react"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { duration } from "../parts/figures.ts"
import { Dialogs, type DialogRequest } from "./dialogs.tsx"
import { later } from "../parts/later.ts"
import { NARROW, SMALL, useMedia } from "../parts/use-media.ts"
import { useNow } from "../parts/use-now.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay, type Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { Detail, passOf, tabsOf } from "./detail/detail.tsx"
import type { RunFeed } from "./feed.ts"
import { RunHead } from "./head.tsx"
import { HeadMeta, HeadTitle } from "./head-lines.tsx"
import { isInLine } from "./queued/in-line.ts"
import { ConnectionLine } from "./graph/connection-line.tsx"
import { GraphPane } from "./graph/graph-pane.tsx"
import { RUN, select, useSelection, type Selection } from "./selection.ts"
import { useRows } from "./timeline/rows.ts"
import { TimePane } from "./timeline/time-pane.tsx"
import type { ItemState } from "../../../web/run/map-items.ts"
import { useItems } from "./map/use-items.ts"
import { stepIn, useFeed, useShown, type ShownRun } from "./use-run.ts"
import { keptSteps } from "../../../web/run/path.ts"
import { classes } from "../parts/classes.ts"
import css from "./run-page.module.css"
import runHeadCss from "./run-head.module.css"
import skeletonCss from "../parts/skeleton.module.css"

/** Most runs begin at once. */
const QueuedRun = later(async () => (await import("./queued/queued-run.tsx")).QueuedRun)

export function RunPage({ api, run }: { readonly api: Api; readonly run: string }) {
  const { feed, live } = useFeed(api, run)
  const selection = useSelection()
  const shown = useShown(live, selection.at)
  // What a feed tells is drawn at once, in one task. All of the page for the first time is too much for that: it is drawn in slices.
  const isReady = useDeferredValue(shown !== undefined && live.isCaughtUp, false)
  if (live.fault !== undefined && shown === undefined)
    return (
      <main id="main">
        <div className="page">
          <p className="bar">
            <Link className="link" href={addressOf("runs")}>
              Runs
            </Link>
            <span className="dim">/</span>
            <span className="id">{run}</span>
          </p>
          <h1>This run could not be read</h1>
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>{live.fault}</span>
          </p>
        </div>
      </main>
    )
  if (shown === undefined || !isReady) return <Loading view={live.view} isLost={live.line.state === "lost"} />
  return <Open key={run} api={api} feed={feed} shown={shown} selection={selection} line={live.line} fault={live.fault} />
}

/** What the run is stands as soon as its view is here: a long journal takes seconds. */
function Loading({ view, isLost }: { readonly view: RunView | undefined; readonly isLost: boolean }) {
  return (
    <main id="main" className={css.run} aria-busy="true">
      {view === undefined ? (
        <h1 className="vh">Reading the run</h1>
      ) : (
        <div className={runHeadCss.rHead}>
          <HeadTitle view={view} status={view.status} isEarly />
          <HeadMeta view={view}>{view.ended !== undefined && duration(Date.parse(view.ended) - Date.parse(view.created))}</HeadMeta>
        </div>
      )}
      {isLost && (
        <p className={classes("note waiting", runHeadCss.rNote)} role="status">
          <Icon name="warn" />
          <span>The run cannot be followed right now. Trying again. The run continues.</span>
        </p>
      )}
      <div className={skeletonCss.skels}>
        {[30, 60, 44].map((width) => (
          <span key={width} className="skel" style={{ width: `${width}%` }} />
        ))}
      </div>
    </main>
  )
}

interface Props {
  readonly api: Api
  readonly feed: RunFeed
  readonly shown: ShownRun
  readonly selection: Selection
  readonly line: { readonly state: "open" | "lost"; readonly until: number }
  readonly fault: string | undefined
}

function Open({ api, feed, shown, selection, line, fault }: Props) {
  const { view, story, graph, at } = shown
  const isLive = story.ended === undefined && at === undefined
  const now = useNow(1_000, isLive || line.state === "lost")
  const [isNarrow, isSmall] = [useMedia(NARROW), useMedia(SMALL)]
  const [zoom, setZoom] = useState<{ readonly by: "in" | "out" | "fit"; readonly turn: number }>({ by: "fit", turn: 0 })
  const [asked, setAsked] = useState<DialogRequest>()
  const [menu, setMenu] = useState(0)
  const first = firstChoice(shown)
  const kept = useRef(first)
  // What was chosen for the reader stays where it is when the run goes on, until the step is over.
  if (kept.current !== RUN && stepIn(story, kept.current).passes.length === 0) kept.current = first
  if (isLive && stepIn(story, kept.current).status !== "running" && stepIn(story, kept.current).status !== "waiting") kept.current = first
  const chosen = selection.step ?? kept.current
  useTitle(shown)
  useNews(shown, chosen)
  const steps = useMemo(() => [RUN, ...graph.nodes.map(({ id }) => id)], [graph])
  const choose = (step: string): void => select({ step, pane: isSmall ? "detail" : undefined })
  const move = (by: number): void => {
    const to = steps[Math.max(0, Math.min(steps.length - 1, steps.indexOf(chosen) + by))]
    if (to !== undefined) select({ step: to })
  }
  const pass = passOf({ shown, selection, chosen })
  const inside = (by: number): void => {
    const turns = pass?.turns.flatMap((turn) => [`t${turn.turn}`, ...turn.calls.map(({ id }) => id)]) ?? []
    const ids = [...turns, ...(pass?.calls.map(({ id }) => id) ?? [])]
    const here = selection.call === undefined ? -1 : ids.indexOf(selection.call)
    const to = ids[Math.max(0, Math.min(ids.length - 1, here + by))]
    if (to !== undefined) select({ call: to, tab: "messages" })
  }
  const passes = stepIn(story, chosen).passes
  const turnPass = (by: number): void => {
    const to = passes[passes.findIndex((one) => one === pass) + by]
    if (to) select({ pass: to.pass, call: undefined })
  }
  const scale = (by: "in" | "out" | "fit"): void => setZoom(({ turn }) => ({ by, turn: turn + 1 }))
  const moment = (to: number): void => select({ at: to >= shown.last ? undefined : Math.max(1, to) })
  const mayWrite = useMay("runs:write")
  const tabs = tabsOf(chosen)
  useKeys("run", {
    next: () => move(1),
    previous: () => move(-1),
    inside: () => inside(-1),
    onward: () => (at === undefined ? inside(1) : false),
    passBefore: () => turnPass(-1),
    passAfter: () => turnPass(1),
    tab({ key }) {
      const [tab] = tabs[Number(key) - 1] ?? []
      return tab === undefined ? false : select({ tab })
    },
    in: () => scale("in"),
    out: () => scale("out"),
    fit: () => scale("fit"),
    steer: () => document.getElementById("steer")?.focus(),
    menu: () => setMenu((n) => n + 1),
    fork: () => (mayWrite ? setAsked({ what: "fork" }) : false),
    edit: () => (mayWrite ? setAsked({ what: "edit" }) : false),
    again: () => (mayWrite ? setAsked({ what: "again" }) : false),
  })
  const from = at ?? 0
  useKeys(
    "moment",
    { before: () => moment(from - 1), after: () => moment(from + 1), first: () => moment(1), live: () => select({ at: undefined }) },
    at === undefined,
  )
  const folds = useRows(shown, selection)
  const prefix = useMemo(() => keptSteps(story), [story, shown.version])
  const items = useItems(shown, chosen, pass)
  const [only, setOnly] = useState<ItemState>()
  const panes = { shown, selection, chosen, now, items, only, onOnly: setOnly }
  return (
    <main id="main" className={css.run} data-pane={selection.pane}>
      <RunHead
        api={api}
        feed={feed}
        shown={shown}
        chosen={chosen}
        now={now}
        menu={menu}
        onAsk={setAsked}
        onReview={(step) => select({ step, pane: isSmall ? "detail" : undefined })}
      />
      {fault !== undefined && (
        <p className={classes("note failed", runHeadCss.rNote)} role="alert">
          <span>The stream of this run ended. {fault}</span>
        </p>
      )}
      <ConnectionLine line={line} seq={shown.last} now={now} isOver={story.ended !== undefined} />
      {isInLine(shown) ? (
        <Suspense fallback={null}>
          <QueuedRun api={api} feed={feed} shown={shown} now={now} />
        </Suspense>
      ) : (
        <>
          <div className={css.switch} role="group" aria-label="Show">
            {PANES.map(([name, word]) => (
              <button
                key={name}
                type="button"
                aria-pressed={selection.pane === name}
                onClick={() => select({ pane: name === "steps" ? undefined : name })}
              >
                {word}
              </button>
            ))}
          </div>
          <div className={css.panes}>
            <GraphPane
              api={api}
              shown={shown}
              selection={selection}
              folds={folds}
              chosen={chosen}
              kept={prefix}
              now={now}
              zoom={zoom}
              isNarrow={isNarrow}
              onScale={scale}
              onChoose={choose}
            />
            <TimePane className={css.pane} {...panes} folds={folds} />
            <section className={classes("panel", css.pane, css.detail)} aria-label="Detail">
              <Detail api={api} feed={feed} {...panes} />
            </section>
          </div>
        </>
      )}
      {asked && <Dialogs api={api} asked={asked} shown={shown} chosen={chosen} selection={selection} onClose={() => setAsked(undefined)} />}
      <span className="vh" role="status" data-run={view.id} />
    </main>
  )
}

const PANES = [
  ["steps", "Steps"],
  ["time", "Timeline"],
  ["detail", "Detail"],
] as const

/** What needs the reader comes first: what failed, what asks, what runs; a run that is over shows its output. */
function firstChoice({ graph, story, view }: ShownRun): string {
  if (story.error?.step !== undefined && story.steps.has(story.error.step)) return story.error.step
  if (story.ended !== undefined) return RUN
  const order = graph.nodes.map(({ id }) => id)
  const find = (...statuses: readonly string[]): string | undefined => order.find((id) => statuses.includes(stepIn(story, id).status))
  return (
    find("waiting") ??
    find("running") ??
    (view.status === "queued" ? RUN : (order.findLast((id) => stepIn(story, id).passes.length > 0) ?? RUN))
  )
}

function useTitle({ view, story, at }: ShownRun): void {
  const open = [...story.asks.values()].filter(({ ended }) => ended === undefined).length
  const mark = open > 0 ? "◆ " : story.status === "failed" ? "× " : ""
  useEffect(() => titled(`${mark}${view.flow}${at === undefined ? "" : ` at ${at}`}`), [mark, view.flow, at])
}

/** One polite word when the state of the run or of the chosen step changes, at most one in five seconds. */
function useNews({ view, story, at }: ShownRun, chosen: string): void {
  const status = at === undefined ? `${story.status}${chosen === RUN ? "" : `, ${chosen} ${stepIn(story, chosen).status}`}` : `event ${at}`
  const told = useRef({ at: 0, status })
  useEffect(() => {
    if (told.current.status === status) return
    const wait = Math.max(0, told.current.at + 5_000 - Date.now())
    const timer = setTimeout(() => {
      told.current = { at: Date.now(), status }
      const node = document.querySelector(`[data-run="${CSS.escape(view.id)}"]`)
      if (node) node.textContent = status
    }, wait)
    return () => clearTimeout(timer)
  }, [status, view.id])
}
