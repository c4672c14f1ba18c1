// A step of a dialog: its number, or a sign that it is done or wrong; one to come is dim.

import type { ReactNode } from "react"
import { Icon } from "../../shell/icons.tsx"
import { classes } from "../../parts/classes.ts"
import css from "./connect-model.module.css"

interface Props {
  readonly title: string
  readonly number: number
  readonly state: "done" | "now" | "wrong" | "later"
  readonly about?: string | undefined
  readonly children?: ReactNode
}

const SAID = { done: "done", now: "now", wrong: "wrong", later: "to come" } as const

export function Step({ title, number, state, about, children }: Props) {
  return (
    <section className={classes(css.step, css[state])}>
      <span className={css.sign} aria-hidden="true">
        {state === "done" ? <Icon name="check" /> : state === "wrong" ? <Icon name="x" /> : number}
      </span>
      <div className={css.body}>
        <h3>
          {title} <span className="vh">, {SAID[state]}</span> {about !== undefined && <span className={css.about}>{about}</span>}
        </h3>
        {children}
      </div>
    </section>
  )
}
