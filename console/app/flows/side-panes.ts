// The panes beside the editor, in the order of their tabs. Each loads when its tab is opened; `?tab=NAME` is its address.

import type { ComponentType } from "react"
import { later } from "../parts/later.ts"
import type { SideProps } from "./side.ts"

interface SidePane {
  readonly name: string
  readonly label: string
  readonly pane: ComponentType<SideProps>
  /** It takes the height of the graph too. */
  readonly isTall: boolean
}

export const SIDE_PANES: readonly SidePane[] = [
  {
    name: "tests",
    label: "Tests",
    pane: later(async () => (await import("../flow-tests/flow-tests.tsx")).FlowTests),
    isTall: true,
  },
  {
    name: "architect",
    label: "Architect",
    pane: later(async () => (await import("../architect/architect-pane.tsx")).ArchitectPane),
    isTall: true,
  },
  {
    name: "revisions",
    label: "Revisions",
    pane: later(async () => (await import("../flow-revisions/flow-revisions.tsx")).FlowRevisions),
    isTall: true,
  },
]
