// Where the page of an agent or a skill is.

import { addressOf } from "../shell/place.ts"

export type Kind = "agent" | "skill"

export const definitionAddress = (kind: Kind, name: string): string =>
  kind === "agent" ? addressOf("agents", name) : addressOf("agents", "skills", name)

/** The list of its kind. */
export const listAddress = (kind: Kind): string => addressOf("agents") + (kind === "skill" ? "?kind=skill" : "")
