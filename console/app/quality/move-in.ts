// Moves the focus among the links of a table's rows.

import type { RefObject } from "react"

export function moveIn(table: RefObject<HTMLElement | null>, by: number): unknown {
  const links = [...(table.current?.querySelectorAll<HTMLElement>("tbody th :is(a, button)") ?? [])]
  const at = links.findIndex((link) => link === document.activeElement)
  return links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))]?.focus() ?? false
}
