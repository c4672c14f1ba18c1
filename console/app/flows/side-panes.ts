// The panes beside the editor, in the order of their tabs. Each loads when its tab is opened; `?tab=NAME` is its address.

import type { ComponentType } from "react"
import type { SideProps } from "./side.ts"

interface SidePane {
  readonly name: string
  readonly label: string
  readonly pane: ComponentType<SideProps>
  /** It takes the height of the graph too. */
  readonly isTall: boolean
}

export const SIDE_PANES: readonly SidePane[] = []
