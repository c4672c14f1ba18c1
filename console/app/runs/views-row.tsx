// Above the query: the runs of each status under it, with their count, and the views that somebody has saved.

import type { SavedView } from "../../../web/runs/saved-views.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { SavedViewLink } from "./saved-view.tsx"
import css from "./query.module.css"

interface Props {
  readonly api: Api
  /** As the query has it. */
  readonly status: string | undefined
  readonly counts: Readonly<Record<string, number>>
  readonly isCounted: boolean
  readonly onStatus: (status: string | undefined) => void
  readonly views: readonly SavedView[]
  /** The address of what is shown, behind its question mark. */
  readonly search: string
  readonly onSave: () => void
  readonly onRemove: () => void
}

const STATUSES = [
  [undefined, "All"],
  ["waiting", "Waiting"],
  ["running", "Running"],
  ["queued", "Queued"],
  ["failed", "Failed"],
  ["succeeded", "Succeeded"],
] as const

export function ViewsRow({ api, status, counts, isCounted, onStatus, views, search, onSave, onRemove }: Props) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const saved = views.find((view) => view.search === search)
  return (
    <div className={css.views}>
      <div className={css.status} role="group" aria-label="Status">
        {STATUSES.map(([name, label]) => {
          const count = name === undefined ? all : (counts[name] ?? 0)
          return (
            <button key={label} type="button" aria-pressed={status === name} onClick={() => onStatus(name)}>
              {name !== undefined && <Icon name={name} kind={count === 0 ? "i-s dim" : `i-s ${name}`} />}
              {label}
              {(isCounted || all > 0) && (
                <b>
                  {count.toLocaleString()}
                  {!isCounted && count > 0 && "+"}
                </b>
              )}
            </button>
          )
        })}
      </div>
      {views.map((view) => (
        <SavedViewLink key={view.name} api={api} view={view} isShown={view === saved} />
      ))}
      {saved !== undefined ? (
        <button className="btn bare" type="button" onClick={onRemove}>
          Remove this view
        </button>
      ) : (
        search !== "" && (
          <button className="btn bare" type="button" onClick={onSave}>
            <Icon name="bookmark" kind="i-s" />
            Save this view <kbd>V</kbd>
          </button>
        )
      )}
    </div>
  )
}
