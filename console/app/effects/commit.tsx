// What a staged run kept [K32]: its effects in their order, each with the exact request. Chosen ones leave in that order, the others are
// discarded. Nothing is chosen beforehand.

import { useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import { fields, text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { AskFrame } from "../inbox/ask-frame.tsx"
import { FaultLine } from "../inbox/fault-line.tsx"
import type { Around } from "../inbox/frame.tsx"
import { useAbout } from "../inbox/use-about.ts"
import { useAnswer } from "../inbox/use-answer.ts"
import { useSeen } from "../inbox/use-seen.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { EffectRow, type EffectLike } from "./effect-bytes.tsx"
import css from "./effects.module.css"

interface Props {
  readonly api: Api
  readonly ask: Asked
  readonly around: Around
  readonly onDecided: (decided: Asked, isMine: boolean) => void
}

export function Commit({ api, ask, around, onDecided }: Props) {
  const about = useAbout(api, ask)
  const kept = keptIn(ask)
  const makers = [...new Set(kept.map(({ run }) => run))]
  const ledger = useAsked(["once", "ledgers", ask.run, ask.id], () => ledgersOf(api, makers))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [stops, setStops] = useState(true)
  const { isSending, fault, send, refuse } = useAnswer(api, ask, onDecided)
  const [list, foot] = [useRef<HTMLOListElement>(null), useRef<HTMLElement>(null)]
  const seen = useSeen(list, foot, `${ask.run} ${ask.id}`)
  const toggle = (key: string): void =>
    setChosen((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]))
  const rows = kept.map((one): EffectLike => ({
    ...ledger.value?.find(({ run, key }) => run === one.run && isNamed(one.key, run, key)),
    ...one,
  }))
  const isKnown = ledger.value !== undefined || ledger.fault !== undefined
  const commit = (): void => {
    if (chosen.size === 0) refuse("Choose what leaves first, or discard all.")
    else if (isKnown && seen.isSettled())
      send(answerTo(ask, "commit", { commit: kept.map(({ key }) => key).filter((key) => chosen.has(key)), stop_on_failure: stops }).body)
  }
  const discard = (): void => {
    if (seen.isSettled()) send(answerTo(ask, "none").body)
  }
  useKeys("deciding", {
    nth({ key }) {
      const one = kept[Number(key) - 1]
      if (one && seen.isSettled()) toggle(one.key)
    },
  })
  useKeys("sending", { send: commit })
  const isAll = chosen.size === kept.length
  const { fork } = about.view ?? {}
  return (
    <AskFrame
      ask={ask}
      about={about}
      around={around}
      foot={foot}
      title={`Let ${counted(kept.length, "effect")} of ${ask.run === null ? "a call" : ask.flow} leave?`}
      side={
        <>
          <section>
            <h3>Why you are asked</h3>
            <p className="small">
              This run {fork ? "is a fork and " : ""}holds its effects: each was checked against the policy and answered as if it had been
              sent. Each is checked again, against the current policy, before it leaves.
            </p>
            {fork && (
              <p className="small">
                Fork of{" "}
                <Link className="link id" href={addressOf("runs", fork.run)}>
                  {fork.run}
                </Link>
                , event {fork.seq}
              </p>
            )}
          </section>
          <section>
            <h3>If one fails</h3>
            <label className="check">
              <input type="checkbox" checked={stops} onChange={() => setStops(!stops)} />
              <span>Stop there and discard the rest</span>
            </label>
          </section>
        </>
      }
      acts={
        <div className="bar">
          <button className="btn first" type="button" aria-disabled={isSending || !isKnown || chosen.size === 0} onClick={commit}>
            {isSending || !isKnown ? "Checking" : `Commit ${chosen.size} of ${kept.length}`} <kbd>Ctrl Enter</kbd>
          </button>
          <button className="btn danger" type="button" aria-disabled={isSending} onClick={discard}>
            Discard all
          </button>
          <span className="grow" />
          <button className="btn bare" type="button" onClick={() => setChosen(isAll ? new Set() : new Set(kept.map(({ key }) => key)))}>
            {isAll ? "Choose none" : "Choose all"}
          </button>
        </div>
      }
    >
      <FaultLine fault={fault ?? ledger.fault} />
      <section>
        <h3>They are sent in this order</h3>
        <ol className={css.fx} ref={list}>
          <i className="seen-mark" aria-hidden />
          {rows.map((effect, at) => (
            <EffectRow
              key={effect.key}
              at={at}
              effect={effect}
              box={{ verb: "Commit", isChecked: chosen.has(effect.key), onChange: () => toggle(effect.key) }}
              place={`${visible(effect.step)}${effect.run === ask.run ? "" : ", in a child"}`}
            >
              {chosen.has(effect.key) ? "It leaves exactly as shown." : "It is discarded, and the journal says so."}{" "}
              {effect.undoable === true ? "It can be undone." : "It cannot be undone."}
            </EffectRow>
          ))}
          <i className="seen-mark" aria-hidden />
        </ol>
      </section>
    </AskFrame>
  )
}

function keptIn({ payload }: Asked): EffectLike[] {
  const effects = Array.isArray(payload["effects"]) ? payload["effects"] : []
  return effects.map((one) => {
    const { key, run, step, pass, tool, args } = fields(one)
    return {
      key: text(key) ?? "",
      run: text(run) ?? "",
      step: text(step) ?? "",
      pass: typeof pass === "number" ? pass : 1,
      tool: text(tool) ?? "",
      args: fields(args) as JsonObject,
    }
  })
}

/** Children of one flow have the same keys, so theirs begin with their run. */
const isNamed = (name: string, run: string, key: string): boolean => name === key || name === `${run}/${key}`

async function ledgersOf(api: Api, runs: readonly string[]): Promise<EffectShown[]> {
  return (await Promise.all(runs.map((run) => api.runs.effects(run).all()))).flat()
}
