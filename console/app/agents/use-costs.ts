// What each column may cost at most, asked before any model is: a little after the last change.

import { useEffect, useState } from "react"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { wishOf, type Column, type Texts } from "../../../web/agent/column.ts"

export interface Cost {
  /** null: the model has no price. */
  readonly usd?: number | null
  readonly fault?: string
}

interface About {
  readonly run: string | undefined
  readonly step: string | undefined
  /** Of the recorded turn; the last ones where they are left out. */
  readonly which: { readonly pass?: number; readonly turn?: number }
  readonly columns: readonly Column[]
  readonly texts: Texts
}

const QUIET_MS = 300

/** By the column's id. */
export function useCosts(api: Api, { run, step, which, columns, texts }: About): Readonly<Record<number, Cost>> {
  const [costs, setCosts] = useState<Readonly<Record<number, Cost>>>({})
  const wishes = columns.map((column) => ({ id: column.id, wish: { ...wishOf(column, texts), ...which } }))
  const about = JSON.stringify([run, step, wishes])
  useEffect(() => {
    if (run === undefined || step === undefined) return undefined
    let isOver = false
    const timer = setTimeout(() => {
      for (const { id, wish } of wishes)
        api.runs.checkTurn(run, step, wish).then(
          ({ most }) => {
            if (!isOver) setCosts((before) => ({ ...before, [id]: { usd: most.usd } }))
          },
          (error: unknown) => {
            if (!isOver) setCosts((before) => ({ ...before, [id]: { fault: faultOf(error) } }))
          },
        )
    }, QUIET_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [about])
  return costs
}
