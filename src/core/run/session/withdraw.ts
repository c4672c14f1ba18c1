// Ends waiting calls that may not begin any more, because rules have changed or the run has. Judges, and changes nothing.

import type { Rules } from "../../tool/policy/policy.ts"
import { isWrite } from "../../tool/reach.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { RefusalCode } from "../event-parts.ts"
import type { Fact } from "../event.ts"
import { finishNameOf } from "./finish.ts"
import { beginsAnew } from "./ask/elicited.ts"
import { judge } from "./guard.ts"
import type { OpenCall, Run } from "../state.ts"
import { toolKey, calledKey } from "../key.ts"
import { personIn } from "./admit-result.ts"
import { refused } from "./admit-session.ts"

const TAKEN_AWAY: ReadonlySet<string> = new Set(["policy", "denylist", "scope"])

/** The facts that end the waiting calls that these rules no longer allow. */
export function forbidden(run: Run, rules: Rules): Fact[] {
  return Object.entries(run.steps).flatMap(([id, { session, pass }]) =>
    (session?.open ?? []).flatMap((o): Fact[] => {
      const key = toolKey(id, pass, (session?.turn ?? 1) - 1, o.call.id)
      const isAtWork = Object.hasOwn(run.underway, key)
      if (o.asked !== undefined || isAtWork || o.call.name === finishNameOf(run.plan.agents[session?.agent ?? ""])) return []
      const j = judge(run, id, { ...o.call, args: o.approved ?? o.call.args }, rules)
      if (j.allow || !TAKEN_AWAY.has(j.code)) return []
      return withdrawn(run, id, o, key, j)
    }),
  )
}

/** The facts that end a waiting call that may not begin, or not begin again. */
export function withdrawn(
  run: Run,
  id: string,
  o: OpenCall,
  key: string,
  why: { readonly code: RefusalCode; readonly reason: string },
): Fact[] {
  return !beginsAnew(run, o, key) && beganToWrite(run, o) ? leftOpen(run, id, o, key) : [refused(id, o.call, why.code, why.reason)]
}

/** [J11] Was the call a write that began and was lost? It may have taken effect, so it must not be reported as skipped. */
function beganToWrite(run: Run, { call, args }: OpenCall): boolean {
  const tool = run.plan.tools.get(call.name)
  return args !== undefined && (tool === undefined || isWrite(tool, args))
}

const leftOpen = (run: Run, step: string, open: OpenCall, key: string): Fact[] => [
  { type: "tool.uncertain", step, callId: open.call.id, tool: open.call.name, key, ...personIn(open) },
  ...settlement(run, calledKey(key), undefined),
]
