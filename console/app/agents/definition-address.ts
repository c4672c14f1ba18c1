// Where the page of an agent or a skill is.

import { addressOf } from "../shell/place.ts"

export type PageKind = "agent" | "skill"

export const definitionAddress = (kind: PageKind, name: string): string =>
  kind === "agent" ? addressOf("agents", name) : addressOf("agents", "skills", name)

/** The list of its kind. */
export const listAddress = (kind: PageKind): string => addressOf("agents") + (kind === "skill" ? "?kind=skill" : "")
