// The head of an agent's or a skill's page: its name, where it comes from, its tabs, and what can be done with the draft.

import type { ReactNode } from "react"
import { visible } from "../../../web/chat/wording.ts"
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
  const { stored, isDraft, isSaving, discard, save } = editing
  useKeys("definition", { save: () => void (isDraft && save()) }, !mayWrite)
  return (
    <header className={css.agHead}>
      <div className={css.agTitle}>
        <Link className="link" href={listAddress(kind)}>
          {kind === "agent" ? "Agents" : "Skills"}
        </Link>
        <span className="dim">/</span>
        <h1 className="cut">{visible(name)}</h1>
        {stored && stored.tier !== "local" && <span className="tag">{stored.package ?? stored.tier}</span>}
        {isDraft && <span className="tag running">not saved</span>}
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
        {mayWrite && stored?.tier === "local" && !isDraft && (
          <button className="btn bare" type="button" onClick={onDelete}>
            Delete
          </button>
        )}
        {isDraft && (
          <button className="btn bare" type="button" onClick={discard}>
            Discard
          </button>
        )}
        {mayWrite && (
          <button
            className={classes("btn first", css.agSave)}
            type="button"
            aria-disabled={!isDraft || isSaving}
            onClick={() => isDraft && save()}
          >
            {isSaving ? "Saving" : stored?.tier === "local" ? "Save" : "Save as own"} <kbd>Ctrl S</kbd>
          </button>
        )}
      </div>
    </header>
  )
}

/** In place of the page's body: it is read, is not there, or could not be read. */
export function NotThere({ kind, editing }: { readonly kind: PageKind; readonly editing: Editing }) {
  if (editing.fault !== undefined)
    return (
      <p className="note failed" role="alert">
        <Icon name="failed" />
        <span>
          The {kind} could not be read. {visible(editing.fault)}
        </span>
        <button className="btn" type="button" onClick={editing.again}>
          Try again
        </button>
      </p>
    )
  return (
    <section className="panel empty-state">
      <h2>There is no such {kind}</h2>
      <p className="mid">It may have been deleted or renamed. An earlier revision of the catalog brings it back.</p>
      <Link className="btn" href={listAddress(kind)}>
        All {kind}s
      </Link>
    </section>
  )
}
