// What proves a proposal before it is accepted: a rehearsal of it, the flow's tests on it, and a backtest on the newest runs. No model is asked.

import { useEffect, useState } from "react"
import type { ArchitectSession } from "../../../src/api/doc/architect.doc.ts"
import type { Backtest, TestReport } from "../../../src/api/doc/tests.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { pause } from "../../../src/client/transport/transport.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { sampleInputs } from "../../../web/flow/case-text.ts"
import { testsPathOf } from "../flow-tests/use-flow-files.ts"

/** undefined: it is under way. null: there is nothing to try. */
type Outcome<T> = T | { readonly fault: string } | null | undefined

export interface Proofs {
  readonly rehearsal: Outcome<TestReport["cases"][number]>
  readonly tests: Outcome<TestReport>
  readonly backtest: Outcome<Backtest>
}

const isWhole = (proofs: Proofs): boolean => Object.values(proofs).every((outcome) => outcome !== undefined)

const NONE: Proofs = { rehearsal: undefined, tests: undefined, backtest: undefined }
/** Recorded runs. */
const TRIED = 20
const AGAIN_MS = 700

/** Proofs that were made on this page: a look at another tab does not make them anew. */
const made = new WeakMap<Api, Map<string, Proofs>>()

export function useProof(api: Api, session: ArchitectSession): Proofs {
  const about = `${session.id} ${session.iteration} ${session.files.map(({ hash }) => hash).join(" ")}`
  const [found, setFound] = useState<{ readonly about: string; readonly proofs: Proofs }>({
    about,
    proofs: made.get(api)?.get(about) ?? NONE,
  })
  useEffect(() => {
    const stop = new AbortController()
    const { flow, files, id } = session
    if (flow === undefined || session.status !== "ready") return undefined
    const all = made.get(api) ?? new Map<string, Proofs>()
    made.set(api, all)
    const before = all.get(about)
    if (before && isWhole(before)) {
      setFound({ about, proofs: before })
      return undefined
    }
    const definitions = Object.fromEntries(files.flatMap(({ path, text }) => (text === undefined ? [] : [[path, text]])))
    const set = (more: Partial<Proofs>): void => {
      if (stop.signal.aborted) return
      const proofs = { ...(all.get(about) ?? NONE), ...more }
      all.set(about, proofs)
      setFound({ about, proofs })
    }
    const prove = <Name extends keyof Proofs>(name: Name, work: () => Promise<Proofs[Name]>): void => {
      work().then(
        (outcome) => set({ [name]: outcome }),
        (error: unknown) => set({ [name]: isNothing(error) ? null : { fault: faultOf(error) } }),
      )
    }
    prove("rehearsal", () => rehearsed(api, flow, definitions))
    prove("tests", () => api.flows.test(flow, { definitions }))
    prove("backtest", async () => {
      const begun = await api.flows.backtest(flow, { against: { last: TRIED }, change: { session: id } })
      for (;;) {
        const report = await api.flows.backtestResult(begun.id)
        if (report.status === "done") return report.runs.length === 0 ? null : report
        await pause(AGAIN_MS, stop.signal)
      }
    })
    return () => stop.abort()
  }, [api, about, session.status])
  return found.about === about ? found.proofs : NONE
}

/** The flow has no tests, or is not in the catalog yet. */
const isNothing = (error: unknown): boolean => error instanceof SluiceError && (error.code === "no_tests" || error.status === 404)

const CASE = "the proposal, rehearsed"

/** A case that expects no more than an end. */
async function rehearsed(api: Api, flow: string, definitions: Readonly<Record<string, string>>): Promise<Proofs["rehearsal"]> {
  const start = await api.flows.graph(flow).then(
    (graph) => graph.start,
    () => undefined,
  )
  const one = { name: CASE, task: "an example", ...(start ? { inputs: sampleInputs(start) } : {}), expect: {} }
  const tests = Object.keys(definitions).find((path) => path.endsWith(".test.yaml")) ?? testsPathOf(flow)
  const report = await api.flows.test(flow, { case: CASE, definitions: { ...definitions, [tests]: JSON.stringify({ cases: [one] }) } })
  return report.cases[0] ?? null
}
