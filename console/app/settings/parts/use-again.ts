// What a request answers, read again on demand. What came before stays while it is read, and when that fails.

import { useCallback, useRef, useState } from "react"
import { useLoad, type Loaded } from "../../parts/use-load.ts"

export interface Again<T> extends Loaded<T> {
  readonly again: () => void
}

/** `about` names what is asked. */
export function useAgain<T>(about: string, ask: () => Promise<T>): Again<T> {
  const [turn, setTurn] = useState(0)
  const { value, fault } = useLoad(`${turn} ${about}`, ask)
  const last = useRef<T>(undefined)
  if (value !== undefined) last.current = value
  return { value: last.current, fault, again: useCallback(() => setTurn((before) => before + 1), []) }
}
