// The power `team` [C41, T42]: an agent of the caller's routes works in a run of its own, below the caller's. Its id follows from the
// caller's run and the call, so a call that was lost and is made again finds it; it is made of what the caller's run pinned.

import { stricter, unitsOf } from "../../core/money/amount.ts"
import { isStateful } from "../../core/flow/toolkits.ts"
import { MAX_DEPTH, type ChildReport } from "../../core/run/steps/children.ts"
import { stepTrace } from "../../core/run/views/spans.ts"
import type { Calling } from "../../engine/run/calling.ts"
import { SUBAGENT_PREFIX } from "../../engine/catalog/subagent-flow.ts"
import type { RunPort } from "../../ports/run.ts"
import type { Team, TeamAnswer } from "../../ports/tool.ts"
import { childId, childPins } from "./run-family.ts"
import type { Env } from "../platform/env.ts"
import { runPort } from "../clients/run-port.ts"
import { sha256 } from "../platform/sha256.ts"

/** One look at the run lasts so long; nothing is open between two of them. */
const LOOK_MS = 60_000
/** An object that is being moved answers again in a moment; one that does not is given up. */
const MOST_FAULTS = 8

/** `forsake`: cancels this run, and sees to it that it hears of it. */
export function teamOf(env: Env, tenant: string, calling: Calling, forsake: (run: string) => void): Team {
  return {
    list: () => calling.routes.map(({ name, description, role }) => ({ name, description, ...(role === undefined ? {} : { role }) })),
    async call(name, prompt, signal): Promise<TeamAnswer> {
      const { depth, pins, key } = calling
      const agent = calling.routes.find((a) => a.name === name)
      const own = agent && pins && childPins(pins, `${SUBAGENT_PREFIX}${name}`)
      if (!agent || !own) return { ok: false, message: "it was not there when this run began" }
      if (depth + 1 > MAX_DEPTH) return { ok: false, message: `runs nest at most ${MAX_DEPTH} deep, and this would be one more` }
      const run = await childId(calling.run, key)
      signal.throwIfAborted()
      const port = runPort(env, tenant, run)
      const cancel = (): void => forsake(run)
      signal.addEventListener("abort", cancel, { once: true })
      try {
        calling.started({ run })
        await port.start({
          tenant,
          run,
          flow: own.flow.id,
          task: prompt,
          inputs: {},
          autonomous: calling.autonomous,
          rehearsed: calling.rehearsed,
          pins: own,
          trigger: { kind: "child" },
          trace: stepTrace({ id: calling.run, trace: calling.trace }, calling.step, calling.pass, sha256),
          rules: calling.rules,
          prices: calling.prices,
          ...(calling.daily ? { daily: true as const } : {}),
          ...(calling.budget && unitsOf(calling.budget).length > 0 ? { budget: stricter(calling.budget, {}) } : {}),
          ...(calling.tainted ? { tainted: true } : {}),
          ...(calling.private ? { private: true } : {}),
          // [C40] A planner goes on with what it said before in this run; nobody else's run sees it.
          ...(isStateful(agent.role) ? { session: calling.root } : {}),
          parent: { run: calling.run, step: calling.step, pass: calling.pass, index: 0, depth: depth + 1, root: calling.root },
        })
        const report = await ended(port, signal)
        const { usage, spent } = report
        calling.started({ run, ...(usage ? { usage } : {}), ...(spent ? { spent } : {}) }, report)
        return { ok: true, run, report }
      } finally {
        signal.removeEventListener("abort", cancel)
        // What was said to it when the call was given up may have come before its start.
        if (signal.aborted) cancel()
      }
    },
  }
}

/** However long it takes: its own limits end it, or an abort, which cancels it. */
async function ended(port: RunPort, signal: AbortSignal): Promise<ChildReport> {
  for (let faults = 0; ;) {
    signal.throwIfAborted()
    try {
      const report = await port.report(LOOK_MS)
      if (report) return report
      faults = 0
    } catch (e) {
      if (++faults >= MOST_FAULTS) throw e
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** faults))
    }
  }
}
