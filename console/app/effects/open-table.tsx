// Every effect that is not decided, in all runs.

import { useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { askAddress } from "../inbox/ask-list.tsx"
import { age, counted, fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { classes } from "../parts/classes.ts"
import css from "./effects.module.css"

const WORDS = {
  uncertain: { word: "Uncertain", icon: "help", kind: "blocked", act: "Resolve" },
  staged: { word: "Held", icon: "waiting", kind: "waiting", act: "Review" },
  asked: { word: "Asked", icon: "asks", kind: "waiting", act: "Review" },
} as const
type Open = keyof typeof WORDS
const STATES = Object.keys(WORDS) as readonly Open[]

export function OpenTable({ effects, asks }: { readonly effects: readonly EffectShown[]; readonly asks: readonly Asked[] }) {
  const [only, setOnly] = useState<Open>()
  const rows = effects.flatMap((effect) => STATES.flatMap((state) => (effect.state === state ? [{ effect, state }] : [])))
  const shown = rows.filter(({ state }) => only === undefined || state === only)
  const now = Date.now()
  return (
    <section className={classes("panel", css.fxall)} aria-label="Open in all runs">
      <div className="panel-head">
        <h2>Open in all runs</h2>
        <span className="dim">
          {counted(rows.length, "effect")}, {counted(new Set(rows.map(({ effect }) => effect.run)).size, "run")}
        </span>
        <span className="grow" />
        <button className="chip" type="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
          All
        </button>
        {STATES.map((state) => (
          <button className="chip hide-s" key={state} type="button" aria-pressed={only === state} onClick={() => setOnly(state)}>
            {WORDS[state].word} <b>{rows.filter((row) => row.state === state).length}</b>
          </button>
        ))}
      </div>
      {rows.length === 0 ? (
        <p className={classes(css.none, "mid")}>Nothing is open: every effect is decided.</p>
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Tool</th>
              <th scope="col" className="hide-s">
                Target
              </th>
              <th scope="col" className="hide-s">
                Step
              </th>
              <th scope="col" className="num">
                Age
              </th>
              <th scope="col">
                <span className="vh">Do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ effect, state }) => (
              <tr key={`${effect.run} ${effect.key}`}>
                <td>
                  <span className={`st ${WORDS[state].kind}`}>
                    <Icon name={WORDS[state].icon} kind="i-s" />
                    {WORDS[state].word}
                  </span>
                </td>
                <th scope="row" className="mono">
                  {visible(effect.tool)}
                </th>
                <td className="mid hide-s">{visible(effect.target)}</td>
                <td className="dim hide-s">{visible(effect.step)}</td>
                <td className="num" title={fullTime(effect.at)}>
                  {age(Date.parse(effect.at), now)}
                </td>
                <td className="num">
                  <Link className="link" href={effectAddress(effect, asks)} aria-label={`${WORDS[state].act} ${visible(effect.tool)}`}>
                    {WORDS[state].act}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** Where it is decided. */
export function effectAddress({ state, run, key }: EffectShown, asks: readonly Asked[]): string {
  if (state === "uncertain") return addressOf("inbox", "effects", run, key)
  const ask = asks.find((one) => one.run === run && (state !== "staged" || one.kind === "effects"))
  return ask ? askAddress(ask) : addressOf("runs", run)
}
