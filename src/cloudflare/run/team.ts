// Provides the power `team` [C41, T42]: an agent from the caller's routes runs in a child of the caller's run. Its id is derived from the
// caller's run and the call, so that a repeated call finds it. It uses the definitions that the caller's run pinned.

import { stricter } from "../../core/money/amount.ts"
import { isStateful } from "../../core/tool/toolkits.ts"
import { MAX_DEPTH, type ChildReport } from "../../core/run/steps/children.ts"
import type { Calling } from "../../engine/run/call/calling.ts"
import { childPins } from "../../engine/run/begin/child-pins.ts"
import { childStartOf } from "../../engine/run/begin/start.ts"
import { SUBAGENT_PREFIX } from "../../engine/catalog/pin/subagent-flow.ts"
import type { RunPort } from "../../ports/run.ts"
import type { Team, TeamAnswer } from "../../ports/tool.ts"
import { childId } from "./family/run-family.ts"
import type { Env } from "../platform/env.ts"
import { runPort } from "../clients/run-port.ts"
import { sha256 } from "../platform/sha256.ts"
import { backoff } from "../../core/backoff.ts"
import { defined } from "../../core/defined.ts"
import { pause } from "../../ports/timers.ts"

/** Each poll waits this long for the end of the run; no connection is open between polls. */
const LOOK_MS = 60_000
/** An object that is being moved answers again shortly. After this many faults in a row the call gives up. */
const MAX_FAULTS = 8 // limit: faults in a row of a called agent's run → the call fails

export interface TeamDeps {
  readonly env: Env
  readonly tenant: string
  /** Cancels this child of this parent, and repeats the cancel until it arrives. */
  readonly cancelOrphan: (parent: string, child: string) => void
}

export function teamOf({ env, tenant, cancelOrphan }: TeamDeps, calling: Calling): Team {
  return {
    list: () => calling.routes.map(({ name, description, role }) => ({ name, description, ...defined({ role }) })),
    async call(name, prompt, signal): Promise<TeamAnswer> {
      const agent = calling.routes.find((a) => a.name === name)
      const pins = agent && calling.pins && childPins(calling.pins, `${SUBAGENT_PREFIX}${name}`)
      if (!agent || !pins) return { ok: false, message: "it did not exist when this run began" }
      if (calling.depth + 1 > MAX_DEPTH) return { ok: false, message: `runs nest at most ${MAX_DEPTH} deep, and this would be one more` }
      const run = await childId(env, tenant, calling.run, calling.key)
      signal.throwIfAborted()
      const port = runPort(env, tenant, run)
      const cancel = (): void => cancelOrphan(calling.run, run)
      signal.addEventListener("abort", cancel, { once: true })
      try {
        calling.started({ run })
        // [C40] A planner continues its earlier conversation of this run; other runs do not see it.
        const session = isStateful(agent.role) ? calling.root : undefined
        const budget = stricter(calling.budget ?? {}, {})
        await port.start(childStartOf(calling, { tenant, run, pins, task: prompt, inputs: {}, index: 0, session, budget }, sha256))
        const report = await ended(port, signal)
        // [B5] What it used is not known any more: all that was reserved counts.
        if (!report) return { ok: false, run, message: "its run was deleted" }
        const { usage, spent, effects, head } = report
        const told = defined({ usage, spent, effects, head })
        calling.started({ run, ...told }, report)
        return { ok: true, run, report }
      } finally {
        signal.removeEventListener("abort", cancel)
        // The cancel sent when the call was aborted may have arrived before the start.
        if (signal.aborted) cancel()
      }
    },
  }
}

/** Waits without a time limit: the run ends by its own limits, or an abort cancels it. undefined: it was deleted. */
async function ended(port: RunPort, signal: AbortSignal): Promise<ChildReport | undefined> {
  for (let faults = 0; ;) {
    signal.throwIfAborted()
    try {
      const report = await port.report(LOOK_MS)
      if (report !== "unended") return report
      faults = 0
    } catch (e) {
      if (++faults >= MAX_FAULTS) throw e
      await pause(backoff(250, faults))
    }
  }
}
