// Tabs over a panel, by the library: Left and Right move, Home and End go to the first and the last, and the focus leads into the panel.

import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"

interface Props<T extends string> {
  readonly label: string
  readonly tabs: readonly (readonly [value: T, words: ReactNode])[]
  readonly value: T
  readonly onChange: (value: T) => void
  /** In the same head, before the row of tabs. */
  readonly above?: ReactNode
  readonly className?: string
  readonly headClassName?: string
  readonly panelClassName?: string
  readonly children: ReactNode
}

export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
  above,
  className,
  headClassName,
  panelClassName,
  children,
}: Props<T>) {
  return (
    <Base.Root className={className} value={value} onValueChange={(given: T) => onChange(given)}>
      <div className={headClassName}>
        {above}
        <Base.List className="tabs" aria-label={label} activateOnFocus>
          {tabs.map(([one, words]) => (
            <Base.Tab key={one} value={one}>
              {words}
            </Base.Tab>
          ))}
        </Base.List>
      </div>
      <Base.Panel className={panelClassName} value={value}>
        {children}
      </Base.Panel>
    </Base.Root>
  )
}
