// What is said when the line to the server breaks, and when it is back.

import { useEffect, useRef, useState } from "react"
import { Icon } from "../../shell/icons.tsx"
import { classes } from "../../parts/classes.ts"
import css from "../run-head.module.css"

/** A line that breaks for a moment is not worth a word. */
const QUIET_MS = 1_200
const BACK_MS = 3_000

interface Props {
  readonly line: { readonly state: "open" | "lost"; readonly until: number }
  readonly seq: number
  readonly now: number
  readonly isOver: boolean
}

export function ConnectionLine({ line, seq, now, isOver }: Props) {
  const [state, setState] = useState<"fine" | "lost" | "back">("fine")
  const from = useRef(seq)
  useEffect(() => {
    if (line.state === "lost") {
      const timer = setTimeout(() => {
        setState((before) => {
          if (before !== "lost") from.current = seq
          return "lost"
        })
      }, QUIET_MS)
      return () => clearTimeout(timer)
    }
    setState((before) => (before === "lost" ? "back" : before))
    const timer = setTimeout(() => setState("fine"), BACK_MS)
    return () => clearTimeout(timer)
  }, [line])
  if (isOver || state === "fine") return null
  const seconds = Math.max(0, Math.ceil((line.until - now) / 1_000))
  return (
    <p className={classes("note", css.rNote, state === "lost" ? "waiting" : "complete")} role="status">
      <Icon name={state === "lost" ? "warn" : "succeeded"} />
      <span>
        {state === "lost"
          ? `Connection lost at event ${from.current}. ${seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again."} The run goes on.`
          : seq > from.current
            ? `Back. Events ${from.current + 1} to ${seq} are here.`
            : "Back. Nothing happened in between."}
      </span>
    </p>
  )
}
