// Escapes a model's text for a page, and shows each hidden character by its name.

import type { Json } from "../../../core/json.ts"
import { unhidden } from "../../../core/text/hidden.ts"
import { setOutValue } from "../../../core/outside/set-out.ts"

/** A text for display. */
export const shown = (text: string): string => unhidden(attribute(text), (name) => `<mark>${name}</mark>`)

/** JSON with visible characters only, and the same meaning: hidden characters occur only in its strings. */
export const visibleJson = (value: Json): string =>
  unhidden(setOutValue(value), (_, char) => {
    const units = Array.from({ length: char.length }, (__, at) => char.charCodeAt(at).toString(16).padStart(4, "0"))
    return units.map((unit) => `\\u${unit}`).join("")
  })

export const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")
