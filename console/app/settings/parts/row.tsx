// One thing of a list: what it is, what is known of it, and what can be done with it.

import type { ReactNode } from "react"
import css from "../settings.module.css"

interface Props {
  readonly name: ReactNode
  /** In one line below the name. */
  readonly about?: ReactNode
  readonly actions?: ReactNode
  /** Below the row. */
  readonly children?: ReactNode
}

export function Row({ name, about, actions, children }: Props) {
  return (
    <li className={css.srow}>
      <div className={css.smain}>
        <div className={css.sname}>{name}</div>
        {about !== undefined && <div className="dim small">{about}</div>}
      </div>
      {actions !== undefined && <div className="bar">{actions}</div>}
      {children}
    </li>
  )
}

interface RowsProps {
  readonly label: string
  readonly isEmpty: boolean
  /** What would be here. */
  readonly empty: string
  readonly children: ReactNode
}

export function Rows({ label, isEmpty, empty, children }: RowsProps) {
  return (
    <div className="panel">
      {isEmpty ? (
        <p className="empty-state mid">{empty}</p>
      ) : (
        <ul className="srows" aria-label={label}>
          {children}
        </ul>
      )}
    </div>
  )
}
