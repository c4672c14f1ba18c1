// Says what a call of a tool does outside, by a shape and a word.

import { classes } from "../parts/classes.ts"
import css from "./tools.module.css"

const WORDS = { none: "nothing outside", read: "reads", write: "writes" } as const

export function Effect({ effect }: { readonly effect: keyof typeof WORDS }) {
  return (
    <span className={css.eff}>
      <i className={classes(css.sq, effect === "write" && css.sqW, effect === "none" && css.sqN)} aria-hidden="true" />
      {WORDS[effect]}
    </span>
  )
}
