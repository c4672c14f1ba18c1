// Describes a dialog over the page.

import type { ReactNode } from "react"

export interface DialogProps {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}
