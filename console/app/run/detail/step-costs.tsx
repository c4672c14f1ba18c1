// Says what each step has cost, as one stacked bar and a list in the same order.

import { stepCosts } from "../../../../web/run/context.ts"
import type { RunOutline } from "../../../../src/core/run/views/outline.ts"
import { classes } from "../../parts/classes.ts"
import { money, tokens } from "../../parts/figures.ts"
import { select } from "../selection.ts"
import css from "./context-plot.module.css"

export function StepCosts({ story }: { readonly story: RunOutline }) {
  const { unit, parts } = stepCosts(story)
  if (parts.length < 2) return null
  const shown = (amount: number): string => (unit === "usd" ? money(amount) : `${tokens(amount)} tokens`)
  const look = (step: string | undefined, at: number): string | undefined => (step === undefined ? css.rest : css[`n${at}`])
  return (
    <figure className={css.plot}>
      <figcaption>{unit === "usd" ? "Cost by step" : "Tokens by step"}</figcaption>
      <span className={css.costs} aria-hidden="true">
        {parts.map(({ step, amount, share }, at) => (
          <i
            key={step ?? "others"}
            className={look(step, at)}
            style={{ flexGrow: share }}
            title={`${step ?? "others"}: ${shown(amount)}`}
          />
        ))}
      </span>
      <ul className={css.list}>
        {parts.map(({ step, amount, share }, at) => (
          <li key={step ?? "others"}>
            <span className={classes(css.key, look(step, at))} />
            {step === undefined ? (
              <span>others</span>
            ) : (
              <button className={classes(css.step, "cut")} type="button" onClick={() => select({ step, tab: undefined })}>
                {step}
              </button>
            )}
            <span className="num">{shown(amount)}</span>
            <span className="dim nowrap">{share < 0.01 ? "<1" : Math.round(100 * share)}%</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
