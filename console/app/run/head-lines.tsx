// Says what a run is, in the two first lines of its page. They stand before the journal is here, from the run's view alone.

import { useState, type ReactNode } from "react"
import { copyText } from "../parts/copy.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { visible } from "../../../web/chat/wording.ts"
import { sentence } from "../../../web/faults/sentence.ts"
import { queuedWords } from "../../../web/runs/queued-words.ts"
import { classes } from "../parts/classes.ts"
import { duration, fullTime, shortTime } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { triggerOf } from "../runs/row.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./run-head.module.css"

interface Title {
  readonly view: RunView
  readonly status: string
  /** The rest of the page is to come: no key acts yet. */
  readonly isEarly?: boolean
}

export function HeadTitle({ view, status, isEarly = false }: Title) {
  const { revision, draft } = view.pinned
  return (
    <div className={isEarly ? css.rEarly : css.rTitle}>
      <Status status={status} isPatient={!asksPeople(view)} />
      <h1 className="cut">{view.flow}</h1>
      {typeof revision === "number" && <span className="dim">r{revision}</span>}
      {typeof draft === "string" && (
        <span className="tag" title="The run began with a draft that was not live">
          draft {draft}
        </span>
      )}
      {view.rehearsed && <span className="tag">rehearsed</span>}
      {view.effects !== "live" && <span className="tag">{view.effects === "staged" ? "effects held" : "effects simulated"}</span>}
      {view.tainted === true && <span className="tag waiting">has read text from outside</span>}
      <CopyId id={view.id} />
    </div>
  )
}

/** What waits for a signal or a time needs nobody. */
const asksPeople = ({ pending, asks = [], waiting }: RunView): boolean =>
  pending > 0 || asks.length > 0 || (waiting?.reason !== "signal" && waiting?.reason !== "time")

interface Meta {
  readonly view: RunView
  /** What it waits for stands below. */
  readonly isInLine?: boolean
  /** How long it has taken. */
  readonly children?: ReactNode
}

export function HeadMeta({ view, isInLine = false, children }: Meta) {
  const trigger = triggerOf(view)
  return (
    <p className={css.rMeta}>
      {view.status === "queued" && !isInLine && <QueuedBy view={view} />}
      <span className="cut" title={view.task} dir="auto">
        {visible(view.task.slice(0, MAX_TASK))}
      </span>
      {view.fork === undefined && (
        <span className="nowrap">
          <Icon name={trigger.icon} kind="i-s dim" />
          {trigger.words}
        </span>
      )}
      {view.fork && (
        <span className="nowrap">
          <Icon name="fork" kind="i-s dim" />
          <Link className="link" href={`${addressOf("runs", view.fork.run)}?at=${view.fork.seq}`}>
            fork of {view.fork.run.slice(0, 12)}… at event {view.fork.seq}
          </Link>{" "}
          <Link className="link" href={addressOf("runs", view.fork.run, "compare", view.id)}>
            Compare
          </Link>
        </span>
      )}
      {view.parent && (
        <span className="nowrap">
          <Icon name="child" kind="i-s dim" />
          <Link className="link" href={`${addressOf("runs", view.parent.run)}?step=${encodeURIComponent(view.parent.step)}`}>
            child of {view.parent.run.slice(0, 12)}…
          </Link>
        </span>
      )}
      <StartedOf view={view} />
      <span className="nowrap" title={fullTime(view.created)}>
        <Icon name="clock" kind="i-s dim" />
        {view.status === "queued" && "arrived "}
        {shortTime(view.created)}
        {children !== undefined && <>, {children}</>}
      </span>
    </p>
  )
}

/** [R8, R19] Of how many starts it is made, how long it waited to begin, and which run took its place. */
function StartedOf({ view: { start, superseded } }: { readonly view: RunView }) {
  const waited = start?.began === undefined ? 0 : start.began - start.arrived
  return (
    <>
      {start?.merged !== undefined && (
        <span className="nowrap">
          <Icon name="merge" kind="i-s dim" />
          made of {start.merged} starts
        </span>
      )}
      {waited >= SHORT_WAIT_MS && (
        <span className="nowrap">
          <Icon name="queue" kind="i-s dim" />
          waited {duration(waited)} to begin
        </span>
      )}
      {superseded !== undefined && (
        <Link className="link nowrap" href={addressOf("runs", superseded)}>
          {superseded.slice(0, 12)}… took its place
        </Link>
      )}
    </>
  )
}

/** Not worth a word. */
const SHORT_WAIT_MS = 1_000

/** Why it has not begun, with the run that holds the key. */
function QueuedBy({ view: { waiting } }: { readonly view: RunView }) {
  const wait = waiting ?? { reason: "room" }
  const holder = "run" in wait ? wait.run : undefined
  const expires = "expires" in wait ? wait.expires : undefined
  return (
    <>
      <span className="st pending">{sentence(queuedWords(wait, shortTime))}</span>
      {holder !== undefined && (
        <Link className="link nowrap" href={addressOf("runs", holder)}>
          {holder.slice(0, 12)}… holds the key
        </Link>
      )}
      {expires !== undefined && <span className="nowrap">It fails if it has not begun by {shortTime(expires)}.</span>}
    </>
  )
}

const MAX_TASK = 400

function CopyId({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      className={classes(css.idb, "id")}
      type="button"
      aria-label={`Copy ${id}`}
      onBlur={() => setCopied(false)}
      onClick={() => void copyText(id).then(() => setCopied(true))}
    >
      {isCopied ? "Copied" : id}
      <Icon name="copy" kind="i-s" />
    </button>
  )
}
