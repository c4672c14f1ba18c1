// The head of the page: what the run is, what it does now, why it failed or what it asks, and what can be done.

import { Fragment, useState } from "react"
import { copyText } from "../parts/copy.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { visible } from "../../../web/chat/wording.ts"
import { zeroOf } from "../../../web/run/axis.ts"
import { curlOf } from "../parts/curl.ts"
import { duration } from "../parts/figures.ts"
import { faultOf } from "../parts/fault.ts"
import { Menu } from "../parts/menu.tsx"
import type { MenuItem } from "../parts/menu-item.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay, type Api } from "../shell/session.ts"
import { BudgetLine } from "./budget.tsx"
import type { DialogRequest } from "./dialogs.tsx"
import type { RunFeed } from "./feed.ts"
import { HeadMeta, HeadTitle } from "./head-lines.tsx"
import { isInLine } from "./queued/in-line.ts"
import { RUN, select } from "./selection.ts"
import type { Ask, RunOutline } from "../../../src/core/run/views/outline.ts"
import type { ShownRun } from "./use-run.ts"
import { WaitNote } from "./wait-note.tsx"
import { WhyFailed } from "./why-failed.tsx"
import { classes } from "../parts/classes.ts"
import css from "./run-head.module.css"

interface Props {
  readonly api: Api
  readonly feed: RunFeed
  readonly shown: ShownRun
  readonly chosen: string
  readonly now: number
  /** Grows when a key opens the menu. */
  readonly menu: number
  readonly onAsk: (asked: DialogRequest) => void
  readonly onReview: (step: string) => void
}

export function RunHead({ api, feed, shown, chosen, now, menu, onAsk, onReview }: Props) {
  const { view, story, at } = shown
  const [fault, setFault] = useState<string>()
  const open = [...story.asks.values()].filter(({ ended }) => ended === undefined)
  const status = statusOf(story, open)
  const isOver = story.ended !== undefined
  const live = shown.view.status
  const isPaused = live === "paused"
  const mayWrite = useMay("runs:write")
  const isLive = live !== "succeeded" && live !== "failed" && live !== "canceled"
  const pauseOrResume = (): void => {
    setFault(undefined)
    const act = isPaused ? api.runs.resume(view.id) : api.runs.pause(view.id)
    act.then(
      (after) => feed.look(after),
      (error: unknown) => setFault(faultOf(error)),
    )
  }
  useKeys("run", { pause: pauseOrResume, cancel: () => onAsk({ what: "cancel" }) }, !isLive || !mayWrite)
  const step = chosen === RUN ? undefined : chosen
  const items: readonly MenuItem[] = [
    {
      label: "Fork from here",
      icon: "fork",
      key: "F",
      note: step === undefined ? "Keeps everything and continues from the end" : `Keeps everything before ${step} at no cost`,
      isOff: !mayWrite,
      act: () => onAsk({ what: "fork" }),
    },
    {
      label: "Edit and run from here",
      icon: "edit",
      key: "E",
      note: "Change a recorded reply, result or answer, or the step's prompt and model",
      isOff: step === undefined || !mayWrite,
      act: () => onAsk({ what: "edit" }),
    },
    {
      label: "Run again",
      icon: "again",
      key: "R",
      note: "Runs every step again with the current definitions (full cost)",
      isOff: !mayWrite,
      act: () => onAsk({ what: "again" }),
    },
    { label: "Compare", icon: "compare", key: "C", note: "See where two runs diverge", act: () => onAsk({ what: "compare" }) },
    {
      label: "Save as test",
      icon: "flask",
      key: "T",
      note: isLive ? "Available when the run has ended" : "Adds this run to the flow's tests",
      isOff: isLive,
      act: () => onAsk({ what: "test" }),
    },
    {
      label: "Copy link",
      icon: "link",
      key: "Y",
      note: "Opens this step at this moment",
      act: () => void copyText(location.href),
    },
    {
      label: "Copy as curl",
      icon: "term",
      key: "U",
      note: "Starts the same run from a shell; reads the API key from $SLUICE_KEY",
      act: () => void copyText(curlOf(view.flow, startOf(view))),
    },
  ]
  return (
    <div className={css.rHead}>
      <HeadTitle view={view} status={status} />
      <div className={css.rActs}>
        {isLive && mayWrite && (
          <button className="btn" type="button" onClick={pauseOrResume}>
            <Icon name={isPaused ? "play" : "paused"} />
            {isPaused ? "Resume" : "Pause"} <kbd>P</kbd>
          </button>
        )}
        {isLive && mayWrite && (
          <button className="btn danger" type="button" onClick={() => onAsk({ what: "cancel" })}>
            <Icon name="stop" />
            Cancel <kbd>C</kbd>
          </button>
        )}
        <Menu title={step === undefined ? "The run" : `From ${step}`} items={items} opened={menu}>
          Run from here
          <Icon name="down" kind="i-s" /> <kbd>M</kbd>
        </Menu>
      </div>
      <HeadMeta view={view} isInLine={isInLine(shown)}>
        {duration((story.ended ?? (at === undefined ? now : story.at)) - zeroOf(story, Date.parse(view.created)))}
        {isOver ? "" : status === "queued" ? " ago" : " so far"}
      </HeadMeta>
      {at !== undefined && (
        <p className={classes("note", css.asof, "running")} role="status">
          <Icon name="clock" />
          <span>
            As it was after event {at} of {shown.last}. Buttons for the run act on the run as it is now.
          </span>
          <button className="btn" type="button" onClick={() => select({ at: undefined })}>
            {isLive ? "Back to live" : "Back to the end"} <kbd>L</kbd>
          </button>
        </p>
      )}
      {fault !== undefined && (
        <p className={classes("note failed", css.asof)} role="alert">
          <Icon name="failed" />
          <span>{fault}</span>
        </p>
      )}
      {story.status === "failed" && story.error && at === undefined && <WhyFailed api={api} shown={shown} onAsk={onAsk} />}
      {open.length > 0 && at === undefined && (
        <p className={classes("note waiting", css.ask)}>
          <Icon name="waiting" />
          <span>
            <b>{open[0]?.step}</b> {askOf(open[0])}
            {open.length > 1 && `, and ${open.length - 1} more`}
          </span>
          <button className={classes("btn bare", css.do)} type="button" onClick={() => onReview(open[0]?.step ?? RUN)}>
            Review
          </button>
        </p>
      )}
      {at === undefined && !isOver && <WaitNote shown={shown} onReview={onReview} />}
      {(view.asks?.length ?? 0) > 0 && at === undefined && (
        <p className={classes("note waiting", css.asof)}>
          <Icon name="waiting" />
          <span>
            {view.asks?.length === 1 ? "A run below asks you to " : `${view.asks?.length ?? 0} runs below ask you to `}
            {view.asks?.slice(0, MOST_ASKS).map(({ run, id, kind }, at) => (
              <Fragment key={`${run} ${id}`}>
                {at > 0 && ", "}
                <Link className="link" href={addressOf("runs", run)}>
                  {kind === "approval.tool" ? "approve a call" : "answer a question"}
                </Link>
              </Fragment>
            ))}
            {(view.asks?.length ?? 0) > MOST_ASKS && `, and ${(view.asks?.length ?? 0) - MOST_ASKS} more`}
          </span>
        </p>
      )}
      <BudgetLine view={view} />
    </div>
  )
}

/** Of runs below. */
const MOST_ASKS = 3

/** What a start says to begin the same run. */
const startOf = ({ task, inputs, effects, rehearsed }: RunView): JsonObject => ({
  ...(task === "" ? {} : { task }),
  ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
  ...(rehearsed ? { rehearse: true } : {}),
  ...(effects === "live" ? {} : { effects }),
})

/** A run reads Waiting as soon as anything asks. */
const statusOf = ({ status }: RunOutline, open: readonly Ask[]): string => (status === "running" && open.length > 0 ? "waiting" : status)

function askOf(ask: Ask | undefined): string {
  if (ask === undefined) return ""
  if (ask.kind === "approval.tool") return `asks you to approve ${visible(ask.payload["tool"])}`
  const { question } = ask.payload
  if (typeof question === "string") return `asks: ${visible(question.slice(0, 200))}`
  return ask.kind === "budget" ? "has used the budget: raise it or stop" : "asks you"
}
