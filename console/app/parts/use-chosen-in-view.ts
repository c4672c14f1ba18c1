// The chosen row of a list that scrolls by itself is in view, whoever chose it.

import { useEffect, type RefObject } from "react"

/** `chosen` names it; its element says `aria-current`. */
export function useChosenInView(list: RefObject<HTMLElement | null>, chosen: string | undefined): void {
  useEffect(() => {
    // What it answers is no clean-up: newer browsers answer a promise.
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" })
  }, [list, chosen])
}
