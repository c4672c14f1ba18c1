// The three runs: one to fork, one to answer, one to read. Each says what it is and has the one button that goes on.

import { useRef, useState, type ReactNode } from "react"
import { FIRST_RUN } from "../../../src/client/first-run.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Exact } from "../inbox/exact.tsx"
import { useAnswer } from "../inbox/use-answer.ts"
import { useSeen } from "../inbox/use-seen.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import { toolIn } from "../../../web/inbox/ask.ts"
import { faultOf } from "../parts/fault.ts"
import { counted, duration } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { isLive, shownStatus, timeOf, type Row } from "../runs/row.ts"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { MiniGraph } from "./mini-graph.tsx"
import type { RefusedCall, ToldRun } from "./use-first-run.ts"
import { classes } from "../parts/classes.ts"
import css from "./first-run.module.css"

interface Props {
  readonly told: ToldRun
  /** What this card shows that Sluice can do. */
  readonly deed: string
  readonly word?: string
  readonly sub: string
  readonly children: ReactNode
  readonly acts: ReactNode
}

function Card({ told, deed, word, sub, children, acts }: Props) {
  const { row } = told
  return (
    <article className={classes("panel", css.frc)} aria-label={row.flow}>
      <div className={css.hd}>
        <p className={css.deed}>{deed}</p>
        <Status status={shownStatus(row)} {...(word === undefined ? {} : { word })} />
        <h2 className="cut">{row.flow}</h2>
        <p className="mid">{sub}</p>
      </div>
      <MiniGraph told={told} />
      <div className={css.frcB}>{children}</div>
      <div className={css.acts}>{acts}</div>
    </article>
  )
}

const stepsOf = ({ graph, view }: ToldRun): number => graph.nodes.filter(({ id }) => view.steps[id]?.status !== "skipped").length
const took = ({ row }: ToldRun): string => duration(timeOf(row, Date.now()))

export function FailingCard({ api, told, fork }: { readonly api: Api; readonly told: ToldRun; readonly fork: Row | undefined }) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const { row, view, graph } = told
  const step = row.error?.step
  const at = graph.nodes.findIndex(({ id }) => id === step)
  const isLast = at === graph.nodes.length - 1
  const act = (): void => {
    if (isBusy || step === undefined) return
    setBusy(true)
    setFault(undefined)
    forkFrom(api, row.id, step).catch((error: unknown) => {
      setFault(faultOf(error))
      setBusy(false)
    })
  }
  useKeys("first", { nth: ({ key }) => (key === "1" && fork === undefined ? act() : false) })
  const before = graph.nodes.filter(({ id }) => view.steps[id]?.status === "complete").length
  return (
    <Card
      told={told}
      deed="Fork and fix"
      {...(step !== undefined && isLast ? { word: "Failed at its last step" } : {})}
      sub={`${counted(stepsOf(told), "step")}, ${took(told)}`}
      acts={
        <>
          {fork === undefined ? (
            <button className="btn first" type="button" aria-disabled={isBusy} onClick={act}>
              {isBusy ? "Forking" : "Fork from here"} <kbd>1</kbd>
            </button>
          ) : (
            <Link className="btn" href={addressOf("runs", fork.id)}>
              Open the fork
            </Link>
          )}
          <Link className="btn" href={addressOf("runs", row.id)}>
            Open
          </Link>
        </>
      }
    >
      <p className="words">
        <b>{step}</b>: {visible(row.error?.message ?? "")}.
      </p>
      <p>
        {fork === undefined
          ? `A newer revision of the demo fixes this step. ${before === 1 ? "Step 1 is kept and costs" : `Steps 1–${before} are kept and cost`} nothing again.`
          : isLive(fork)
            ? "Its fork is under way."
            : `Its fork ${fork.status === "succeeded" ? "succeeded" : "has ended"}: ${counted(before, "step")} kept, and no model asked again before ${step ?? "the fork"}.`}
      </p>
      <FaultLine fault={fault} />
    </Card>
  )
}

async function forkFrom(api: Api, run: string, step: string): Promise<void> {
  const { revision } = await api.catalog.list()
  const { id } = await api.runs.fork(run, { from: { step }, patch: { revision } })
  go(addressOf("runs", id))
}

interface AskingProps {
  readonly api: Api
  readonly told: ToldRun
  readonly ask: Asked
  readonly isNext: boolean
  readonly onDecided: () => void
}

export function AskingCard({ api, told, ask, isNext, onDecided }: AskingProps) {
  const { isSending, fault, send } = useAnswer(api, ask, onDecided)
  const [call, foot] = [useRef<HTMLPreElement>(null), useRef<HTMLElement>(null)]
  const seen = useSeen(call, foot, `${ask.run} ${ask.id}`)
  const approve = (): void => send(answerTo(ask, "approve").body)
  // A key approves what has been read, here as in the inbox.
  const byKey = (): void => {
    if (!seen.isMeant()) return
    if (seen.isRead()) approve()
    else call.current?.lastElementChild?.scrollIntoView({ block: "center" })
  }
  useKeys("first", { nth: ({ key }) => (key === "2" ? byKey() : false) })
  const at = told.graph.nodes.findIndex(({ id }) => ask.run !== null && id === ask.step) + 1
  return (
    <Card
      told={told}
      deed="Approve the exact bytes"
      word="Waiting for you"
      sub={`step ${at} of ${told.graph.nodes.length} asks to run one call`}
      acts={
        <>
          <button className={isNext ? "btn first" : "btn"} type="button" aria-disabled={isSending} onClick={approve}>
            Approve <kbd>2</kbd>
          </button>
          <button className="btn" type="button" aria-disabled={isSending} onClick={() => send(answerTo(ask, "reject").body)}>
            Reject
          </button>
          <Link className="btn bare" href={addressOf("inbox", told.row.id, ask.id)}>
            Open inbox
          </Link>
        </>
      }
    >
      <Exact label={`The exact call of ${toolIn(ask)}`} node={call} name={toolIn(ask)} text={visible(ask.payload["args"] ?? {})} />
      <p className="small mid" role="status">
        {seen.isEarly
          ? "This has just opened. Read it, then press the key again."
          : "Approve sends these bytes and no others. Nothing has run yet."}
      </p>
      <FaultLine fault={fault} />
    </Card>
  )
}

interface PlainProps {
  readonly told: ToldRun
  readonly nth: number
  readonly refused?: RefusedCall | undefined
  readonly isNext?: boolean
}

/** A run that only has to be read: the one that ended well, and the others once they have. */
export function PlainCard({ told, nth, refused, isNext = false }: PlainProps) {
  const { row } = told
  const run = addressOf("runs", row.id)
  const call =
    refused &&
    `${run}?${new URLSearchParams({ step: refused.step, pass: String(refused.pass), call: refused.call, pane: "detail" }).toString()}`
  const open = call ?? run
  useKeys("first", { nth: ({ key }) => (key === String(nth) ? go(open) : false) })
  const isEnding = row.flow === FIRST_RUN.ending
  return (
    <Card
      told={told}
      deed={DEEDS[row.flow] ?? "Read the journal"}
      sub={`${counted(stepsOf(told), "step")}, ${took(told)}, ${counted(row.usage.tool_calls, "call")}`}
      acts={
        <>
          <Link className={isNext ? "btn first" : "btn"} href={open}>
            {call === undefined ? "Open run" : "Show the refused call"} <kbd>{nth}</kbd>
          </Link>
          {isEnding && (
            <Link className="btn" href={addressOf("chat", row.flow)}>
              Talk to it
            </Link>
          )}
        </>
      }
    >
      <p>
        {refused === undefined ? (
          "Every step, call and word of it is in its journal."
        ) : (
          <>
            <b>{refused.step}</b> wanted <span className="mono">{visible(refused.tool)}</span>. See which rule said no, and what the agent
            did instead. The run was a rehearsal: no model was asked and nothing left, and its receipt proves it.
          </>
        )}
      </p>
    </Card>
  )
}

const DEEDS: Readonly<Record<string, string>> = {
  [FIRST_RUN.failing]: "Fork and fix",
  [FIRST_RUN.asking]: "Approve the exact bytes",
  [FIRST_RUN.ending]: "Rehearse and prove",
}
