// How much is wrong with the text, and the way to the next of it.

import { weighed } from "../../../web/flow/weighed.ts"
import { counted } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import type { Problem } from "./use-check.ts"
import css from "./flow-page.module.css"

interface Props {
  readonly problems: readonly Problem[] | undefined
  /** Why it could not be checked. */
  readonly fault: string | undefined
  readonly onNext: () => void
}

export function Tally({ problems, fault, onNext }: Props) {
  if (fault !== undefined)
    return (
      <span className="msg error" role="alert">
        Not checked. {fault}
      </span>
    )
  if (problems === undefined) return <span className="dim">Checking</span>
  const { errors, warnings, silenced } = weighed(problems)
  return (
    <span className={css.tally} role="status">
      {errors > 0 && (
        <button className="msg error" type="button" onClick={onNext}>
          <Icon name="failed" kind="i-s" />
          {counted(errors, "error")}
        </button>
      )}
      {warnings > 0 && (
        <button className="msg waiting" type="button" onClick={onNext}>
          <Icon name="warn" kind="i-s" />
          {counted(warnings, "warning")}
        </button>
      )}
      {errors + warnings === 0 && <span className="dim">No problems</span>}
      {silenced > 0 && (
        <span className="dim" title="Warnings that a comment in the file silences, with its reason. Each has a ○ beside its line.">
          {counted(silenced, "silenced warning")}
        </span>
      )}
    </span>
  )
}
