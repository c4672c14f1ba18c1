// Says what stands beside the text: a form that tries the flow, its tests, the architect, its revisions.

import { Suspense, type ReactNode } from "react"
import { Refused } from "../flow-tests/refused.tsx"
import { classes } from "../parts/classes.ts"
import type { Api } from "../shell/session.ts"
import { SIDE_PANES } from "./side-panes.ts"
import type { FlowDraft } from "./use-draft.ts"
import css from "./flow-page.module.css"

interface Tab {
  readonly name: string
  readonly label: string
}

interface Props {
  readonly api: Api
  readonly flow: string
  readonly draft: FlowDraft
  readonly tabs: readonly Tab[]
  readonly tab: Tab
  /** By the tab's name. */
  readonly counts: Readonly<Record<string, string | undefined>>
  readonly onOpen: (tab: string) => void
  /** What the first tab shows. */
  readonly children: ReactNode
}

export function SidePanel({ api, flow, draft, tabs, tab, counts, onOpen, children }: Props) {
  const Side = SIDE_PANES.find(({ name }) => name === tab.name)?.pane
  return (
    <section className={classes("panel", css.pane, css.side2)} aria-label="Beside the editor">
      <div className="panel-head">
        <div className="tabs" role="tablist" aria-label="Beside the editor">
          {tabs.map(({ name, label }) => (
            <button key={name} type="button" role="tab" aria-selected={tab.name === name} onClick={() => onOpen(name)}>
              {label} {counts[name] !== undefined && <b>{counts[name]}</b>}
            </button>
          ))}
        </div>
      </div>
      <div className={css.sideB}>
        {draft.gate !== undefined && <Refused gate={draft.gate} flow={flow} />}
        {Side === undefined ? (
          children
        ) : (
          <Suspense fallback={null}>
            <Side api={api} flow={flow} text={draft.text} saved={draft.saved?.content} onText={draft.write} onSaved={draft.reload} />
          </Suspense>
        )}
      </div>
    </section>
  )
}
