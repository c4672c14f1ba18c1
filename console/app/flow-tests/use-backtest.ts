// A backtest while it goes on: read again until each run has its result.

import { useEffect, useState } from "react"
import type { Backtest } from "../../../src/api/doc/tests.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

const AGAIN_MS = 700

export interface BacktestView {
  readonly report: Backtest | undefined
  readonly fault: string | undefined
}

export function useBacktest(api: Api, id: string | undefined): BacktestView {
  const [found, setFound] = useState<{ readonly id: string; readonly report?: Backtest; readonly fault?: string }>()
  useEffect(() => {
    if (id === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const look = async (): Promise<void> => {
      try {
        const report = await api.flows.backtestResult(id)
        if (isOver) return
        setFound({ id, report })
        if (report.status === "running") timer = setTimeout(() => void look(), AGAIN_MS)
      } catch (error) {
        if (isOver) return
        const isGone = error instanceof SluiceError && error.status === 404
        setFound((before) => ({
          ...(before?.id === id ? before : {}),
          id,
          fault: isGone ? "This backtest is no longer kept." : faultOf(error),
        }))
      }
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, id])
  return found?.id === id ? { report: found?.report, fault: found?.fault } : { report: undefined, fault: undefined }
}
