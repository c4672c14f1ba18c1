// Describes one thing that a menu offers.

import type { IconName } from "../shell/icons.tsx"

export interface MenuItem {
  readonly label: string
  readonly icon: IconName
  /** The second line: what is kept, what is paid, or why it cannot be done. */
  readonly note?: string
  readonly key?: string
  readonly isOff?: boolean
  readonly act: () => void
}
