// Puts an ask out of this person's sight for a while: Z, then 1 to 4.

import { useState } from "react"
import type { Asked } from "../../../../src/api/doc/run/interactions.doc.ts"
import { snoozeChoices } from "../../../../web/inbox/snooze.ts"
import { Menu } from "../../parts/menu.tsx"
import { useKeys } from "../../shell/keys.ts"

interface Props {
  readonly ask: Asked
  readonly isSnoozed: boolean
  /** undefined: it comes back. */
  readonly onSnooze: (until: number | undefined) => void
}

export function SnoozeMenu({ ask, isSnoozed, onSnooze }: Props) {
  const [opened, setOpened] = useState(0)
  useKeys("deciding", { snooze: () => (isSnoozed ? onSnooze(undefined) : setOpened((n) => n + 1)) })
  if (isSnoozed)
    return (
      <button className="btn bare" type="button" onClick={() => onSnooze(undefined)}>
        Show again <kbd>Z</kbd>
      </button>
    )
  return (
    <Menu
      title="Snooze for you; others still see it"
      className="btn bare"
      opened={opened}
      items={snoozeChoices(ask.run === null ? {} : ask, Date.now()).map(({ key, label, note, until }) => ({
        label,
        note,
        key,
        icon: "clock",
        isOff: until === undefined,
        act: () => onSnooze(until),
      }))}
    >
      Snooze <kbd>Z</kbd>
    </Menu>
  )
}
