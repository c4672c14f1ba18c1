// The head of an agent's or a skill's page: its name, where it comes from, its tabs, and what can be done with the draft.

import type { ReactNode } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { clockTime } from "../../../web/clock.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { goQuery } from "../shell/place.ts"
import { listAddress, type PageKind } from "./definition-address.ts"
import type { Editing } from "./use-definition.ts"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

interface Props {
  readonly kind: PageKind
  readonly name: string
  readonly editing: Editing
  readonly mayWrite: boolean
  readonly tabs: readonly (readonly [name: string, label: ReactNode])[]
  readonly tab: string
  readonly onDelete: () => void
}

export function DefinitionHead({ kind, name, editing, mayWrite, tabs, tab, onDelete }: Props) {
  const { saved, isChanged, isSaving, savedAt, take, save } = editing.draft
  useKeys("definition", { save: () => void (isChanged && save()) }, !mayWrite)
  return (
    <header className={css.agHead}>
      <div className={css.agTitle}>
        <Link className="link" href={listAddress(kind)}>
          {kind === "agent" ? "Agents" : "Skills"}
        </Link>
        <span className="dim">/</span>
        <h1 className="cut">{visible(name)}</h1>
        {saved && saved.tier !== "local" && <span className="tag">{saved.package ?? saved.tier}</span>}
        {isChanged && <span className="tag running">not saved</span>}
      </div>
      <div className="tabs" role="tablist" aria-label={kind === "agent" ? "Agent" : "Skill"}>
        {tabs.map(([one, label]) => (
          <button
            key={one}
            role="tab"
            type="button"
            aria-selected={one === tab}
            onClick={() => goQuery({ tab: one === tabs[0]?.[0] ? undefined : one }, "push")}
          >
            {label}
          </button>
        ))}
      </div>
      <div className={classes("bar", css.agActs)}>
        <span className="st dim" role="status">
          {savedAt !== undefined && !isChanged && `Saved ${clockTime(savedAt)}`}
        </span>
        {mayWrite && saved?.tier === "local" && !isChanged && (
          <button className="btn bare" type="button" onClick={onDelete}>
            Delete
          </button>
        )}
        {isChanged && saved && (
          <button className="btn bare" type="button" onClick={() => take(saved)}>
            Discard
          </button>
        )}
        {mayWrite && (
          <button
            className={classes("btn first", css.agSave)}
            type="button"
            aria-disabled={!isChanged || isSaving}
            onClick={() => isChanged && !isSaving && save()}
          >
            {isSaving ? "Saving" : saved?.tier === "local" ? "Save" : "Save as own"} <kbd>Ctrl S</kbd>
          </button>
        )}
      </div>
    </header>
  )
}

/** In place of the page's body: it is read, is not there, or could not be read. */
export function NotThere({ kind, editing }: { readonly kind: PageKind; readonly editing: Editing }) {
  if (editing.draft.state === "unread")
    return (
      <p className="note failed" role="alert">
        <Icon name="failed" />
        <span>
          The {kind} could not be read. {visible(editing.draft.fault ?? "")}
        </span>
        <button className="btn" type="button" onClick={editing.draft.reload}>
          Try again
        </button>
      </p>
    )
  return (
    <section className="panel empty-state">
      <h2>There is no such {kind}</h2>
      <p className="mid">It may have been deleted or renamed. You can restore it from an earlier revision.</p>
      <Link className="btn" href={listAddress(kind)}>
        All {kind}s
      </Link>
    </section>
  )
}
