// Views of the list of runs that people have saved: a name and what the address says. This browser keeps them.

export interface SavedView {
  readonly name: string
  /** Behind the question mark. */
  readonly search: string
}

/** Limit of what is kept. */
const MOST = 30

/** What was kept, as far as it can be read. */
export function viewsIn(kept: string | null): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(kept ?? "[]")
    return Array.isArray(found) ? found.filter(isView).slice(0, MOST) : []
  } catch {
    return []
  }
}

const isView = (one: unknown): one is SavedView =>
  typeof one === "object" &&
  one !== null &&
  "name" in one &&
  "search" in one &&
  typeof one.name === "string" &&
  typeof one.search === "string"

/** A view of the same name, or of the same address, gives way. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name, search }) => name !== view.name && search !== view.search), view].slice(-MOST)

export const withoutView = (views: readonly SavedView[], search: string): readonly SavedView[] =>
  views.filter((one) => one.search !== search)
