// Says what the page of a flow shows once it has run.

import { Suspense, useMemo } from "react"
import { Guard } from "../parts/guard.tsx"
import { later } from "../parts/later.ts"
import type { Api } from "../shell/session.ts"
import { ByRevision } from "./by-revision.tsx"
import css from "./flow-overview.module.css"
import { HowRunsStart } from "./how-runs-start.tsx"
import { Funnel } from "./funnel.tsx"
import { Answers, Refused } from "./people.tsx"
import { marksOf, revisionsOf } from "./revisions.ts"
import { Slowest } from "./slowest.tsx"
import { StartedBy, TestsAndGate } from "./started-by.tsx"
import { Strip } from "./strip.tsx"
import type { FlowSeen } from "./use-flow-overview.ts"

const FlowGate = later(async () => (await import("../quality/experiments/flow-gate.tsx")).FlowGate)
const FlowExperiments = later(async () => (await import("../quality/experiments/flow-experiments.tsx")).FlowExperiments)

export function FlowBody({ api, flow, seen }: { readonly api: Api; readonly flow: string; readonly seen: FlowSeen }) {
  const revisions = useMemo(() => revisionsOf(flow, seen), [flow, seen])
  const marks = useMemo(() => marksOf(revisions), [revisions])
  return (
    <>
      <Strip flow={flow} measures={seen.measures} />
      <div className={css.columns}>
        <div className={css.stack}>
          <ByRevision seen={seen} revisions={revisions} marks={marks} />
          <Funnel flow={flow} seen={seen} />
          <Slowest flow={flow} seen={seen} />
          <div className={css.halves}>
            <Refused measures={seen.measures} />
            <Answers measures={seen.measures} />
          </div>
        </div>
        <div className={css.side}>
          {seen.graph?.start.block && <HowRunsStart api={api} flow={flow} block={seen.graph.start.block} />}
          <StartedBy seen={seen} />
          <TestsAndGate flow={flow} seen={seen} />
          {api.who.scopes.includes("admin") && (
            <Guard of={flow} what="The gate">
              <Suspense fallback={null}>
                <FlowGate api={api} flow={flow} />
              </Suspense>
            </Guard>
          )}
          <Guard of={flow} what="The experiments">
            <Suspense fallback={null}>
              <FlowExperiments api={api} flow={flow} />
            </Suspense>
          </Guard>
        </div>
      </div>
    </>
  )
}
