// On the pages that the first page leads to: how many of its deeds are done, and what comes next.

import { useEffect, useState } from "react"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { endFirstSteps } from "./first-steps.ts"
import { useFirstRun } from "./use-first-run.ts"
import css from "./first-run.module.css"

export function FirstLead({ api }: { readonly api: Api }) {
  const { found } = useFirstRun(api)
  const [isShut, setShut] = useState(false)
  const isOver = found?.is === "over"
  useEffect(() => {
    if (isOver) endFirstSteps()
  }, [isOver])
  if (isShut || found?.is !== "shown") return null
  const { fork, ask, asking } = found.first
  const next =
    fork === undefined
      ? "fork the run that failed"
      : asking && ask
        ? "approve the exact call of a run that waits"
        : "look at the call that was refused, or write a flow of your own"
  return (
    <aside className={css.lead} aria-label="First steps">
      <span>
        <b>Next:</b> {next}.
      </span>
      <Link className="btn tiny" href={addressOf()}>
        Continue
      </Link>
      <span className="grow" />
      <button
        className="btn bare square tiny"
        type="button"
        aria-label="Hide the first steps"
        onClick={() => {
          endFirstSteps()
          setShut(true)
        }}
      >
        <Icon name="x" />
      </button>
    </aside>
  )
}
