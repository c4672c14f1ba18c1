// The cases of a flow, what each last gave, and runs of them: one request for each case, a few at a time, so that each result is there when it
// comes.

import { useCallback, useEffect, useRef, useState } from "react"
import type { TestCases, TestReport } from "../../../src/api/doc/tests.doc.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import { refusalOf } from "./refusal.ts"

export type CaseResult = TestReport["cases"][number]

export interface CaseState {
  readonly state: "waits" | "runs" | "done"
  readonly result?: CaseResult
}

const AT_ONCE = 4

export interface Cases {
  readonly file: TestCases | undefined
  readonly fault: string | undefined
  /** Of this page, by name. */
  readonly ran: ReadonlyMap<string, CaseState>
  readonly isRunning: boolean
  /** Why the last run of them stopped. */
  readonly stopped: string | undefined
  run(names: readonly string[]): void
  stop(): void
  reload(): void
}

/** `definitions`: what is tried in place of the catalog's files. What it gave is gone when they change. */
export function useCases(api: Api, flow: string, definitions: Readonly<Record<string, string>> | undefined): Cases {
  const [turn, setTurn] = useState(0)
  const { value: file, fault } = useAsked(["once", "cases", flow, turn], () => api.flows.cases(flow))
  const [ran, setRan] = useState<ReadonlyMap<string, CaseState>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const [stopped, setStopped] = useState<string>()
  const current = useRef(0)
  const tried = JSON.stringify(definitions)
  useEffect(() => {
    setRan((before) => (before.size === 0 ? before : new Map()))
    setStopped(undefined)
  }, [tried, flow])
  useEffect(
    () => () => {
      current.current += 1
    },
    [tried, flow],
  )
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  const stop = useCallback(() => {
    current.current += 1
    setRunning(false)
    setRan((before) => new Map([...before].filter(([, { state }]) => state === "done")))
  }, [])
  const run = useCallback(
    (names: readonly string[]): void => {
      if (names.length === 0) return
      current.current += 1
      const mine = current.current
      const isMine = (): boolean => current.current === mine
      const open = [...names]
      const set = (name: string, state: CaseState): void => setRan((before) => new Map(before).set(name, state))
      setRan((before) => names.reduce((all, name) => all.set(name, { state: "waits" }), new Map<string, CaseState>(before)))
      setStopped(undefined)
      setRunning(true)
      const work = async (): Promise<void> => {
        for (let name = open.shift(); name !== undefined && isMine(); name = open.shift()) {
          set(name, { state: "runs" })
          const report = await api.flows.test(flow, { case: name, ...(definitions ? { definitions } : {}) })
          const [result] = report.cases
          if (isMine()) set(name, { state: "done", ...(result ? { result } : {}) })
        }
      }
      Promise.all(Array.from({ length: AT_ONCE }, work))
        .catch((error: unknown) => {
          if (!isMine()) return
          stop()
          setStopped(refusalOf(error))
        })
        .finally(() => {
          if (!isMine()) return
          setRunning(false)
          reload()
        })
    },
    // The texts are named by what they say.
    [api, flow, tried, stop, reload],
  )
  return { file, fault, ran, isRunning, stopped, run, stop, reload }
}
