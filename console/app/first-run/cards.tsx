// The three runs: one to fork, one to answer, one to read. Each says what it is and has the one button that goes on.

import { useState, type ReactNode } from "react"
import { FIRST_RUN } from "../../../src/client/first-run.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Exact } from "../inbox/exact.tsx"
import { useAnswer } from "../inbox/use-answer.ts"
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
import type { ToldRun } from "./use-first-run.ts"
import { classes } from "../parts/classes.ts"
import css from "./first-run.module.css"

interface Props {
  readonly told: ToldRun
  readonly word?: string
  readonly sub: string
  readonly children: ReactNode
  readonly acts: ReactNode
}

function Card({ told, word, sub, children, acts }: Props) {
  const { row } = told
  return (
    <article className={classes("panel", css.frc)} aria-label={row.flow}>
      <div className={css.hd}>
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
      {...(step !== undefined && isLast ? { word: "Failed at its last step" } : {})}
      sub={`${counted(stepsOf(told), "step")}, ${took(told)}`}
      acts={
        <>
          {fork === undefined ? (
            <button className="btn first" type="button" aria-disabled={isBusy} onClick={act}>
              {isBusy ? "Forking" : "Fork from here"} <kbd>1</kbd>
            </button>
          ) : (
            <Link className="btn first" href={addressOf("runs", fork.id)}>
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
          ? `The newest revision of the demo mends that. ${before === 1 ? "Step 1 costs" : `Steps 1–${before} cost`} nothing again.`
          : isLive(fork)
            ? "A fork of it is under way."
            : `Its fork ${fork.status === "succeeded" ? "succeeded" : "has ended"}, with nothing asked again before ${step ?? "the fork"}.`}
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

export function AskingCard({
  api,
  told,
  ask,
  onDecided,
}: {
  readonly api: Api
  readonly told: ToldRun
  readonly ask: Asked
  readonly onDecided: () => void
}) {
  const { isSending, fault, send } = useAnswer(api, ask, onDecided)
  const approve = (): void => send(answerTo(ask, "approve").body)
  useKeys("first", { nth: ({ key }) => (key === "2" ? approve() : false) })
  const at = told.graph.nodes.findIndex(({ id }) => ask.run !== null && id === ask.step) + 1
  return (
    <Card
      told={told}
      word="Waiting for you"
      sub={`step ${at} of ${told.graph.nodes.length} asks to run one call`}
      acts={
        <>
          <button className="btn" type="button" aria-disabled={isSending} onClick={approve}>
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
      <Exact label={`The exact call of ${toolIn(ask)}`} name={toolIn(ask)} text={visible(ask.payload["args"] ?? {})} />
      <FaultLine fault={fault} />
    </Card>
  )
}

/** A run that only has to be read: the one that ended well, and the others once they have. */
export function PlainCard({ told, nth }: { readonly told: ToldRun; readonly nth: number }) {
  const { row } = told
  const open = addressOf("runs", row.id)
  useKeys("first", { nth: ({ key }) => (key === String(nth) ? go(open) : false) })
  return (
    <Card
      told={told}
      sub={`${counted(stepsOf(told), "step")}, ${took(told)}, ${counted(row.usage.tool_calls, "call")}`}
      acts={
        <>
          <Link className="btn" href={open}>
            Open run <kbd>{nth}</kbd>
          </Link>
          {row.flow === FIRST_RUN.ending && (
            <Link className="btn" href={addressOf("chat", row.flow)}>
              Talk to it
            </Link>
          )}
        </>
      }
    >
      <p>
        {row.flow === FIRST_RUN.ending
          ? "Look at the refused call: what the agent wanted, which rule said no, and what it did instead."
          : "Every step, call and word of it is in its journal."}
      </p>
    </Card>
  )
}
