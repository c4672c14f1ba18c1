// Says whether plots are shown as their tables: T turns all plots of the page, the button of a plot that one.

import { useState, useSyncExternalStore } from "react"
import { useKeys } from "../shell/keys.ts"

let areTables = false
const listeners = new Set<() => void>()
const listen = (changed: () => void): (() => void) => {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}
function turnAll(): void {
  areTables = !areTables
  listeners.forEach((changed) => changed())
}

export function useTables(): readonly [isTable: boolean, turn: () => void] {
  const all = useSyncExternalStore(listen, () => areTables)
  const [own, setOwn] = useState<{ readonly all: boolean; readonly isTable: boolean }>()
  useKeys("plots", { tables: turnAll })
  const isTable = own?.all === all ? own.isTable : all
  return [isTable, () => setOwn({ all, isTable: !isTable })]
}
