// Says what was switched just now, with the way back.

import { visible } from "../../../web/chat/wording.ts"
import type { Switching } from "./use-tools.ts"
import css from "./tools.module.css"

export function UndoBar({ of: { last, undo, fault } }: { readonly of: Switching }) {
  return (
    <div role="status" className={css.undo}>
      {last && (
        <div className="note">
          <span>
            <b className="mono">{visible(last.name)}</b>{" "}
            {last.isOn ? "is enabled again." : "is disabled: agents cannot call it from their next call on."}
          </span>
          <button className="btn" type="button" onClick={undo}>
            Undo
          </button>
        </div>
      )}
      {fault !== undefined && (
        <div className="note error">
          <span>{fault}</span>
        </div>
      )}
    </div>
  )
}
