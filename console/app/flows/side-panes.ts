// The panes beside the editor, in the order of their tabs. Each loads when its tab is opened; `?tab=NAME` is its address.

import { lazy, type ComponentType } from "react"
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
    pane: lazy(async () => ({ default: (await import("../flow-tests/flow-tests.tsx")).FlowTests })),
    isTall: true,
  },
  {
    name: "architect",
    label: "Architect",
    pane: lazy(async () => ({ default: (await import("../architect/architect-pane.tsx")).ArchitectPane })),
    isTall: true,
  },
  {
    name: "revisions",
    label: "Revisions",
    pane: lazy(async () => ({ default: (await import("../flow-revisions/flow-revisions.tsx")).FlowRevisions })),
    isTall: true,
  },
]
