// Says what can be done with the selected runs: a bar at the foot of the page, on a small screen above the bar of places.

import { Icon } from "../../shell/icons.tsx"
import type { BulkAction } from "../../../../web/runs/parts.ts"
import css from "./bulk.module.css"

interface Props {
  readonly count: number
  readonly mayWrite: boolean
  readonly onAct: (action: BulkAction) => unknown
  readonly onClear: () => void
}

export function BulkBar({ count, mayWrite, onAct, onClear }: Props) {
  return (
    <div className={css.bar} role="toolbar" aria-label="Selected runs">
      <b role="status">{count.toLocaleString()} selected</b>
      {mayWrite ? (
        <>
          <button className="btn first" type="button" onClick={() => onAct("fork")}>
            <Icon name="fork" kind="i-s" />
            Fork with newest revision <kbd>F</kbd>
          </button>
          <button className="btn" type="button" onClick={() => onAct("again")}>
            <Icon name="again" kind="i-s" />
            Run again <kbd>R</kbd>
          </button>
          <button className="btn" type="button" onClick={() => onAct("cancel")}>
            <Icon name="stop" kind="i-s" />
            Cancel <kbd>C</kbd>
          </button>
          <button className="btn danger" type="button" onClick={() => onAct("delete")}>
            <Icon name="trash" kind="i-s" />
            Delete <kbd>D</kbd>
          </button>
        </>
      ) : (
        <span className="mid">This session may only read runs.</span>
      )}
      <button className="btn bare" type="button" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </button>
    </div>
  )
}
