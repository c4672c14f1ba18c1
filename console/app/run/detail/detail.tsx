// What was said, called and written: of the chosen step, or of the whole run. Everything from a model is text.

import { openWait } from "../../../../web/run/waits.ts"
import { paceWords } from "../../../../src/core/run/views/pace-words.ts"
import { Fragment, Suspense, useMemo, useRef } from "react"
import { duration, money, tokens as shortTokens } from "../../parts/figures.ts"
import { clockTime } from "../../../../web/clock.ts"
import { Guard } from "../../parts/guard.tsx"
import { classes } from "../../parts/classes.ts"
import { StatusMark } from "../../parts/status.tsx"
import { Icon } from "../../shell/icons.tsx"
import { useMay, type Api } from "../../shell/session.ts"
import { Budget } from "../budget.tsx"
import { EventList } from "./event-list.tsx"
import { Files } from "./files.tsx"
import { useFollow } from "./follow.ts"
import type { RunFeed } from "../feed.ts"
import { Messages } from "./messages.tsx"
import type { ItemState, MapItem } from "../../../../web/run/map-items.ts"
import { ItemList } from "../map/item-list.tsx"
import { itemAt } from "../map/use-items.ts"
import { RunInput } from "./run-input.tsx"
import { Result, RunResult } from "./result.tsx"
import { RUN, select, type Selection, type Tab } from "../selection.ts"
import { Steer } from "../steer.tsx"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import { later } from "../../parts/later.ts"
import { WaitView } from "./wait-view.tsx"
import { StepTools } from "./step-tools.tsx"
import { BatchLine } from "../map/batch-line.tsx"
import { CachedFrom } from "./cached-from.tsx"
import { RoundScored } from "./round-scored.tsx"
import { stepIn, type ShownRun } from "../use-run.ts"
import { Which } from "./which.tsx"
import css from "./detail.module.css"

/** Most runs ask nothing. */
const Asks = later(async () => (await import("../asks.tsx")).Asks)
const ScoresTab = later(async () => (await import("../scores/scores-tab.tsx")).ScoresTab)
const Prompt = later(async () => (await import("./prompt.tsx")).Prompt)

export interface DetailProps {
  readonly api: Api
  readonly feed: RunFeed
  readonly shown: ShownRun
  readonly selection: Selection
  readonly chosen: string
  readonly now: number
  /** Of a map. */
  readonly items: readonly MapItem[] | undefined
  readonly only: ItemState | undefined
}

const STEP_TABS = [
  ["messages", "Messages"],
  ["prompt", "Prompt"],
  ["tools", "Tools"],
  ["files", "Files"],
  ["result", "Result"],
  ["events", "Events"],
] as const satisfies readonly (readonly [Tab, string])[]
const RUN_TABS = [
  ["result", "Output"],
  ["prompt", "Input"],
  ["tools", "Budget"],
  ["files", "Files"],
  ["events", "Events"],
  ["scores", "Scores"],
] as const satisfies readonly (readonly [Tab, string])[]

export const tabsOf = (chosen: string): readonly (readonly [Tab, string])[] => (chosen === RUN ? RUN_TABS : STEP_TABS)

/** Steps that talk to no model have a first tab of their own. */
const OWN_VIEW: ReadonlyMap<string, string> = new Map([
  ["map", "Items"],
  ["code", "Code"],
  ["code-decision", "Code"],
  ["tool", "Call"],
])

/** A step that has failed opens with why; one without turns has its result. */
export function tabOf({ shown, selection, chosen }: Pick<DetailProps, "shown" | "selection" | "chosen">): Tab {
  const tabs = tabsOf(chosen)
  const known = tabs.find(([tab]) => tab === selection.tab)
  if (known) return known[0]
  if (chosen === RUN) return "result"
  const pass = passOf({ shown, selection, chosen })
  if (OWN_VIEW.has(stepIn(shown.story, chosen).type)) return "messages"
  return pass !== undefined && pass.turns.length === 0 && pass.works.length === 0 && pass.asks.length === 0 ? "result" : "messages"
}

export function passOf({ shown, selection, chosen }: Pick<DetailProps, "shown" | "selection" | "chosen">): Pass | undefined {
  const { passes } = stepIn(shown.story, chosen)
  return passes.find(({ pass }) => pass === selection.pass) ?? passes.at(-1)
}

export function Detail(props: DetailProps) {
  const { shown, chosen, now } = props
  const step = stepIn(shown.story, chosen)
  const pass = passOf(props)
  const tab = tabOf(props)
  const isRun = chosen === RUN
  const end = shown.at === undefined ? now : shown.story.at
  const body = useRef<HTMLDivElement>(null)
  const what = `${chosen} ${pass?.pass ?? 0} ${tab}`
  const isWritten =
    tab === "messages" && props.items === undefined && shown.at === undefined && pass !== undefined && pass.ended === undefined
  // Who has chosen a turn reads that turn.
  const { isBehind, toEnd } = useFollow(body, what, isWritten ? (props.selection.call === undefined ? "end" : "here") : "off")
  return (
    <>
      <div className={css.dHead}>
        <div className="bar">
          {!isRun && <StatusMark status={step.status} isPatient={openWait(pass) !== undefined} />}
          <h2 className="cut">{isRun ? "The run" : chosen}</h2>
          {!isRun && <span className="tag">{pass?.agent ?? (step.type === "" ? typeOf(shown, chosen) : step.type)}</span>}
          {pass?.cached !== undefined && <CachedFrom run={pass.cached} />}
          {pass?.scored && <RoundScored {...pass.scored} />}
          <Which
            label="Pass"
            numbers={step.passes.map((one) => one.pass)}
            chosen={pass?.pass}
            onChoose={(one) => select({ pass: one, call: undefined })}
          />
          <span className="grow" />
          {pass && (
            <span className="dim nowrap">
              {duration((pass.ended ?? end) - pass.begun)}
              {pass.tokens > 0 && ` · ${shortTokens(pass.tokens)} tokens`}
              {pass.usd !== null && ` · ${money(pass.usd)}`}
            </span>
          )}
        </div>
        {pass?.paced !== undefined && pass.ended === undefined && (
          <p className="dim small" role="status">
            This step {paceWords(pass.paced, end)}, until {clockTime(new Date(pass.paced.until))}. Nothing is paid while it waits, and it is
            no try.
          </p>
        )}
        <div className="tabs" role="tablist" aria-label={isRun ? "The run" : "The step"}>
          {tabsOf(chosen).map(([one, label]) => (
            <button
              key={one}
              id={`tab-${one}`}
              role="tab"
              type="button"
              aria-selected={one === tab}
              aria-controls="detail-body"
              onClick={() => select({ tab: one })}
            >
              {one === "messages" ? (OWN_VIEW.get(step.type) ?? label) : label}
            </button>
          ))}
        </div>
      </div>
      <div className={css.dBody} id="detail-body" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0} ref={body}>
        <Fragment key={what}>{isRun ? <RunTab {...props} tab={tab} /> : <StepTab {...props} tab={tab} pass={pass} />}</Fragment>
        {isBehind && (
          <button className={classes("btn", css.newest)} type="button" onClick={toEnd}>
            <Icon name="down" kind="i-s" />
            Newest
          </button>
        )}
      </div>
      {!isRun && <Dock {...props} pass={pass} />}
    </>
  )
}

const typeOf = ({ graph }: ShownRun, id: string): string => graph.nodes.find((node) => node.id === id)?.type ?? "step"

function RunTab({ api, shown, tab }: DetailProps & { readonly tab: Tab }) {
  switch (tab) {
    case "prompt":
      return <RunInput view={shown.view} isBatch={shown.graph.start.block?.batch !== undefined} />
    case "tools":
      return <Budget view={shown.view} story={shown.story} at={shown.at} />
    case "files":
      return <Files api={api} shown={shown} />
    case "events":
      return <EventList shown={shown} />
    case "scores":
      return (
        <Guard of="scores" what="Scores">
          <Suspense fallback={null}>
            <ScoresTab api={api} shown={shown} />
          </Suspense>
        </Guard>
      )
    default:
      return <RunResult api={api} shown={shown} />
  }
}

function StepTab({
  api,
  feed,
  shown,
  selection,
  chosen,
  now,
  items,
  only,
  tab,
  pass,
}: DetailProps & { readonly tab: Tab; readonly pass: Pass | undefined }) {
  const events = useMemo(() => ({ from: pass?.seq ?? 0, step: chosen }), [pass, chosen])
  switch (tab) {
    case "prompt":
      return (
        <Guard of={chosen} what="The prompt">
          <Suspense fallback={null}>
            <Prompt api={api} run={shown.view.id} step={chosen} pass={pass} selection={selection} />
          </Suspense>
        </Guard>
      )
    case "tools":
      return <StepTools api={api} run={shown.view.id} step={chosen} pass={pass} />
    case "files":
      return <Files api={api} shown={shown} />
    case "events":
      return <EventList shown={shown} of={events} />
    case "scores":
      // Of the run alone.
      return null
    case "result":
      return <Result pass={pass} />
    case "messages":
      if (items !== undefined)
        return (
          <>
            {shown.at === undefined && <BatchLine batch={shown.view.steps[chosen]?.batch} />}
            <ItemList items={items} only={only} chosen={itemAt(selection.call)} now={shown.at === undefined ? now : shown.story.at} />
          </>
        )
      return <Messages feed={feed} shown={shown} selection={selection} pass={pass} now={now} />
  }
}

/** What is asked, exactly, and beside it what can be said: always in view. */
function Dock({ api, feed, shown, chosen, pass, now }: DetailProps & { readonly pass: Pass | undefined }) {
  const open = pass?.asks.filter(({ ended }) => ended === undefined) ?? []
  const isAtWork = pass !== undefined && pass.ended === undefined && pass.agent !== undefined
  const mayWrite = useMay("runs:write")
  const wait = openWait(pass)
  if (shown.at !== undefined || (open.length === 0 && !isAtWork && wait === undefined)) return null
  return (
    <div className={css.dock}>
      <Suspense fallback={null}>
        {open.map((ask) => (
          <Asks key={ask.id} api={api} feed={feed} run={shown.view.id} ask={ask} />
        ))}
      </Suspense>
      {wait && <WaitView api={api} shown={shown} step={chosen} work={wait} now={now} />}
      {isAtWork && mayWrite && <Steer api={api} run={shown.view.id} step={chosen} />}
    </div>
  )
}
