// The head of a flow's page: what it is, whether it is saved, and what can be done with it.

import { clockTime } from "../../../web/clock.ts"
import { counted } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { FlowDraft } from "./use-draft.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-page.module.css"

interface Props {
  readonly flow: string
  readonly draft: FlowDraft
  readonly errors: number
  readonly mayWrite: boolean
  readonly hasArchitect: boolean
  readonly onSave: () => void
  readonly onArchitect: () => void
  readonly onRemove: () => void
  /** Of a flow that was never saved. */
  readonly onDiscard: () => void
}

export function FlowHead({ flow, draft, errors, mayWrite, hasArchitect, onSave, onArchitect, onRemove, onDiscard }: Props) {
  const { saved, isChanged, isSaving } = draft
  const isLocal = saved?.tier === "local"
  const isOff = !isChanged || isSaving || errors > 0
  return (
    <header className={css.eHead}>
      <div className={css.rTitle}>
        <Link className="link" href={addressOf("flows")}>
          Flows
        </Link>
        <span className="dim">/</span>
        <h1 className="cut">{flow}</h1>
        {saved !== undefined && !isLocal && (
          <span className="tag" title="Saving creates your own copy, which is used instead of this one.">
            {saved.package ?? saved.tier}
          </span>
        )}
        {saved !== undefined && (
          <Link className="link" href={addressOf("flows", flow, "overview")}>
            Overview
          </Link>
        )}
        {isChanged && <span className="tag running">{saved === undefined ? "new, not saved" : "Not saved"}</span>}
      </div>
      <div className={classes("bar", css.eActs)}>
        <SaveState draft={draft} errors={errors} />
        {mayWrite && isLocal && !isChanged && (
          <button className="btn bare danger" type="button" onClick={onRemove}>
            Delete
          </button>
        )}
        {isChanged && (
          <button className="btn bare" type="button" onClick={() => (saved === undefined ? onDiscard() : draft.take(saved))}>
            Discard
          </button>
        )}
        {hasArchitect && (
          <button className="btn" type="button" onClick={onArchitect}>
            <Icon name="spark" kind="i-s" />
            Architect <kbd>Alt A</kbd>
          </button>
        )}
        {mayWrite && (
          <button className="btn first" type="button" aria-disabled={isOff} onClick={() => !isOff && onSave()}>
            {isSaving ? "Saving" : "Save"} <kbd>Ctrl S</kbd>
          </button>
        )}
      </div>
    </header>
  )
}

function SaveState({ draft: { fault, gate, savedAt, isChanged }, errors }: Pick<Props, "draft" | "errors">) {
  if (gate !== undefined) return <span className="st error">Held back by the gate</span>
  if (fault !== undefined)
    return (
      <span className="st error" role="alert">
        Not saved. {fault}
      </span>
    )
  if (errors > 0 && isChanged)
    return (
      <span className="st error">
        <Icon name="failed" kind="i-s" />
        {counted(errors, "error")} to fix before saving
      </span>
    )
  return (
    <span className="st dim" role="status">
      {savedAt !== undefined && !isChanged ? `Saved ${clockTime(savedAt)}` : ""}
    </span>
  )
}
