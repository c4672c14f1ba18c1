// How much of a prompt something takes: a bar on the scale of its table, and the number.

import { classes } from "../parts/classes.ts"
import css from "./weight.module.css"

export function Weight({ tokens, of }: { readonly tokens: number; readonly of: number }) {
  return (
    <>
      <Bar tokens={tokens} of={of} />
      {tokens.toLocaleString()}
    </>
  )
}

/** All that is chosen, of all that there is. */
export function TotalWeight({ tokens, of }: { readonly tokens: number; readonly of: number }) {
  return (
    <span className={css.wgtL} role="img" aria-label={`${tokens.toLocaleString()} of ${of.toLocaleString()} tokens`}>
      <Bar tokens={tokens} of={of} isBig />
    </span>
  )
}

function Bar({ tokens, of, isBig }: { readonly tokens: number; readonly of: number; readonly isBig?: boolean }) {
  const share = of === 0 ? 0 : Math.min(100, (100 * tokens) / of)
  return (
    <span className={classes(css.wgt, isBig && css.big)} aria-hidden="true">
      <i style={{ width: `max(2px, ${share.toFixed(1)}%)` }} />
    </span>
  )
}
