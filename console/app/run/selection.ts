// One selection in three views, and in the address: a step, one of its passes, one of its calls, the moment, the tab, and on a small screen the pane.

import { goQuery, useQuery } from "../shell/place.ts"

export const TABS = ["messages", "prompt", "tools", "files", "result", "events", "scores"] as const
export type Tab = (typeof TABS)[number]

export interface Selection {
  /** undefined: nothing was chosen. `RUN`: the run itself. */
  readonly step: string | undefined
  readonly pass: number | undefined
  /** `t3` for a turn, the id of a call otherwise. */
  readonly call: string | undefined
  readonly at: number | undefined
  readonly tab: Tab | undefined
  readonly pane: "steps" | "time" | "detail"
}

export function useSelection(): Selection {
  const query = useQuery()
  const number = (name: string): number | undefined => {
    const value = query.get(name)
    return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : undefined
  }
  const pane = query.get("pane")
  return {
    step: query.get("step") ?? undefined,
    pass: number("pass"),
    call: query.get("call") ?? undefined,
    at: number("at"),
    tab: TABS.find((tab) => tab === query.get("tab")),
    pane: pane === "time" || pane === "detail" ? pane : "steps",
  }
}

interface Change {
  readonly step?: string | undefined
  readonly pass?: number | undefined
  readonly call?: string | undefined
  readonly at?: number | undefined
  readonly tab?: Tab | undefined
  readonly pane?: string | undefined
}

/** Of another step, neither the pass nor the call is chosen. */
export function select(change: Change): void {
  const other = "step" in change ? { pass: undefined, call: undefined } : {}
  const flat = Object.entries({ ...other, ...change })
  goQuery(Object.fromEntries(flat.map(([name, value]) => [name, value === undefined ? undefined : String(value)])))
}

/** No step has this id. */
export const RUN = "."
