// The saved views of this browser; another tab's change shows here too.

import { useMemo, useSyncExternalStore } from "react"
import { viewsIn, withoutView, withView, type SavedView } from "../../../web/runs/saved-views.ts"
import { SERVER } from "../shell/place.ts"

/** Behind a dispatcher the tenants of one host have views of their own. */
const NAME = `sluice-views ${new URL(SERVER).pathname}`
const changes = new Set<() => void>()

export interface Views {
  readonly views: readonly SavedView[]
  readonly save: (view: SavedView) => void
  readonly remove: (search: string) => void
}

export function useViews(): Views {
  const kept = useSyncExternalStore(listen, () => localStorage.getItem(NAME))
  return useMemo(() => {
    const views = viewsIn(kept)
    return { views, save: (view) => keep(withView(views, view)), remove: (search) => keep(withoutView(views, search)) }
  }, [kept])
}

function keep(views: readonly SavedView[]): void {
  localStorage.setItem(NAME, JSON.stringify(views))
  for (const changed of changes) changed()
}

function listen(changed: () => void): () => void {
  changes.add(changed)
  addEventListener("storage", changed)
  return () => {
    changes.delete(changed)
    removeEventListener("storage", changed)
  }
}
