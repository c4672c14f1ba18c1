// What an ended run did and can be taken back [K35]: the last first, each an effect of its own under the same guard.

import { useEffect, useState } from "react"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Frame, type Around } from "../inbox/frame.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted, fullTime, shortTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { EffectRow } from "./effect-bytes.tsx"
import { classes } from "../parts/classes.ts"
import inboxCss from "../inbox/inbox.module.css"
import css from "./effects.module.css"

interface Props {
  readonly api: Api
  readonly run: string
  readonly around: Around
}

/** While something is being taken back, the ledger is read this often. */
const LOOK_MS = 1_000

export function Undo({ api, run, around }: Props) {
  const [found, setFound] = useState<{ readonly view: RunView; readonly rows: readonly EffectShown[] }>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [underWay, setUnderWay] = useState<readonly string[]>([])
  const [fault, setFault] = useState<string>()
  const [look, setLook] = useState(0)
  useEffect(() => {
    let isOver = false
    Promise.all([api.runs.get(run), api.runs.effects(run).all()])
      .then(([view, rows]) => !isOver && setFound({ view, rows }))
      .catch((error: unknown) => !isOver && setFault(faultOf(error)))
    return () => {
      isOver = true
    }
  }, [api, run, look])
  const isDone = (key: string): boolean =>
    found?.rows.some(
      (row) => (row.key === key && row.state === "undone") || (row.undoes === key && row.state !== "sent" && row.state !== "proposed"),
    ) === true
  const isUnderWay = underWay.some((key) => !isDone(key))
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => setLook((n) => n + 1), LOOK_MS)
    return () => clearInterval(timer)
  }, [isUnderWay])
  // What takes something back is not taken back itself.
  const rows = (found?.rows ?? [])
    .filter(({ state, undoes }) => undoes === undefined && (state === "confirmed" || state === "undone"))
    .toReversed()
  const undo = (): void => {
    if (chosen.size === 0 || isUnderWay) return
    setFault(undefined)
    api.runs
      .undo(run, { keys: rows.map(({ key }) => key).filter((key) => chosen.has(key)) })
      .then(({ keys }) => {
        setUnderWay(keys)
        setChosen(new Set())
      })
      .catch((error: unknown) => setFault(faultOf(error)))
  }
  const keep = (): void => go(addressOf("inbox", "effects"))
  useKeys("sending", { send: undo, leave: keep })
  const open = rows.filter(({ undoable, state, key }) => undoable && state === "confirmed" && !underWay.includes(key))
  const toggle = (key: string): void =>
    setChosen((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]))
  return (
    <Frame
      mark={
        <span className="st canceled">
          <Icon name="undo" kind="i-s" />
          Undo
        </span>
      }
      around={around}
      run={addressOf("runs", run)}
      title={found === undefined ? "Undo" : `Undo effects of ${found.view.flow}?`}
      sub="The last is undone first; each undo is an effect of its own, under the same policy."
      side={
        <section>
          <h3>Context</h3>
          <dl className={classes("kv", inboxCss.ctx)}>
            <dt>Run</dt>
            <dd>
              <Link className="link id" href={addressOf("runs", run)}>
                {run}
              </Link>
              {found === undefined ? "" : `, ${found.view.status}`}
            </dd>
            <dt>Recorded</dt>
            <dd>in the run’s journal and its receipt</dd>
          </dl>
        </section>
      }
      acts={
        <div className="bar">
          <button className="btn danger" type="button" aria-disabled={chosen.size === 0 || isUnderWay} onClick={undo}>
            {isUnderWay ? "Undoing" : `Undo ${counted(chosen.size, "effect")}`} <kbd>Ctrl Enter</kbd>
          </button>
          <button className="btn" type="button" onClick={keep}>
            Keep them <kbd>Esc</kbd>
          </button>
          <span className="grow" />
          {open.length > 0 && (
            <button className="btn bare" type="button" onClick={() => setChosen(new Set(open.map(({ key }) => key)))}>
              Choose all
            </button>
          )}
        </div>
      }
    >
      <FaultLine fault={fault} />
      <section>
        <h3>In this order</h3>
        {found !== undefined && rows.length === 0 && <p className="mid">This run has no effects.</p>}
        <ol className={css.fx}>
          {rows.map((effect, at) => (
            <EffectRow
              key={effect.key}
              at={at}
              effect={effect}
              box={{
                verb: "Undo",
                isChecked: chosen.has(effect.key),
                isOff: !open.includes(effect),
                onChange: () => toggle(effect.key),
              }}
              place={`${effect.state}, ${shortTime(effect.at)}`}
            >
              {said(
                effect,
                found?.rows.find(({ undoes }) => undoes === effect.key),
              )}
            </EffectRow>
          ))}
        </ol>
      </section>
    </Frame>
  )
}

function said({ undoable, state, at }: EffectShown, back: EffectShown | undefined): string {
  if (state === "undone") return `Undone${back?.by === undefined ? "" : ` by ${visible(back.by)}`}, ${fullTime(at)}.`
  if (back?.state === "refused" || back?.state === "failed" || back?.state === "uncertain")
    return `Undoing it ended as ${back.state}${back.reason === undefined ? "." : `: ${visible(back.reason)}`}`
  return undoable ? "It can be undone." : "Its tool has no undo."
}
