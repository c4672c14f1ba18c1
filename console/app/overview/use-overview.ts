// What the overview shows, read again each minute while it is looked at.

import { useEffect, useState } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { Failures, Measures } from "../../../src/client/insight.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

const AGAIN_MS = 60_000
/** Rows of the lists beside the plot. */
export const MOST_ROWS = 5
/** Questions whose age is counted. */
const MOST_ASKS = 200

export type Range = "day" | "week"

export interface Seen {
  readonly range: Range
  readonly overview: Overview
  readonly asks: readonly Asked[]
  readonly groups: readonly FailureGroup[]
}

export function useOverview(api: Api, range: Range): { readonly seen: Seen | undefined; readonly fault: string | undefined } {
  const [seen, setSeen] = useState<Seen>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    let isOver = false
    const read = async (): Promise<void> => {
      if (document.visibilityState === "hidden") return
      try {
        const [overview, asks, groups] = await Promise.all([
          new Measures(api.transport).overview({ since: sinceOf(range, new Date()), each: range === "day" ? "hour" : "day" }),
          api.interactions.list({ status: "open", limit: MOST_ASKS }).page(),
          new Failures(api.transport).list({ status: "open", limit: MOST_ROWS }).page(),
        ])
        if (isOver) return
        setSeen({ range, overview, asks: asks.data, groups: groups.data })
        setFault(undefined)
      } catch (error) {
        if (!isOver) setFault(faultOf(error))
      }
    }
    void read()
    const timer = setInterval(() => void read(), AGAIN_MS)
    const look = (): void => void read()
    document.addEventListener("visibilitychange", look)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener("visibilitychange", look)
    }
  }, [api, range])
  return { seen: seen?.range === range ? seen : undefined, fault }
}

/** The local midnight that the range begins with. */
function sinceOf(range: Range, now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - (range === "week" ? 6 : 0)).toISOString()
}
