// Cached steps in random flows, worlds, schedules and crashes [R38, R40]: the kernel's laws hold, each pass looks once before it asks, a hit
// asks nothing, and what is decided by what changed is what is decided by everything.

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Flow, Step } from "../../../../src/core/flow/flow.ts"
import { decide } from "../../../../src/core/run/decide.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { amount } from "../../../support/amount.ts"
import { planOf } from "../../../support/kernel/builders.ts"
import { detours } from "../../../support/kernel/course-laws.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { breaches } from "../../../support/kernel/laws.ts"
import { diceOf, live } from "../../../support/kernel/world.ts"

const cached = (step: Step, is: boolean): Step =>
  is && ((step.type === "agent" && step.session === undefined) || step.type === "agent-decision") ? { ...step, cache: 60_000 } : step

const cachedFlows = fc
  .tuple(flows(), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }))
  .map(([flow, which]): Flow => ({ ...flow, steps: flow.steps.map((step, i) => cached(step, which[i] ?? true)) }))

/** What each pass did: whether it looked, what came of it, and how often it asked a model. */
function passesOf(log: readonly RunEvent[]): Map<string, { looks: number; hit: boolean; missed: boolean; asks: number }> {
  const passes = new Map<string, { looks: number; hit: boolean; missed: boolean; asks: number }>()
  for (const e of log) {
    if (e.type === "step.opened") passes.set(`${e.step}/${e.pass}`, { looks: 0, hit: false, missed: false, asks: 0 })
    if (e.type === "action.begun") {
      const pass = passes.get(e.key.split("/").slice(0, 2).join("/"))
      if (pass && e.kind === "cache") pass.looks += 1
      if (pass && e.kind === "model") pass.asks += 1
      if (e.kind === "model") expect(pass === undefined || pass.looks === 0 || pass.missed, `${e.seq} asks before it has looked`).toBe(true)
    }
    if (e.type === "action.lost" && e.kind === "cache") (passes.get(e.key.split("/").slice(0, 2).join("/")) ?? { looks: 0 }).looks -= 1
    if (e.type === "step.cached" || e.type === "cache.missed") {
      const pass = passes.get(`${e.step}/${e.pass}`)
      if (pass) pass[e.type === "step.cached" ? "hit" : "missed"] = true
    }
  }
  return passes
}

test("[R38] [R40] random runs look once in a pass, and a hit asks no model", () => {
  const seen = { hits: 0, misses: 0, plain: 0 }
  fc.assert(
    fc.property(cachedFlows, fc.nat(2 ** 31), fc.nat(2 ** 31), (flow, seed, luck) => {
      const [order, crash, look] = ["order", "crash", "look"].map((what) => diceOf(`${what}:${luck}`))
      const plan = planOf(flow, CAST)
      const shell = live(plan, {
        world: { seed, post: true },
        order: (n) => Math.floor((order?.() ?? 0) * n),
        crash: () => (crash?.() ?? 1) < 0.03,
        watch: (played) => {
          played.watch = (run, event) => {
            if ((look?.() ?? 1) < 0.2) expect(decide(run), `after event ${event.seq}`).toEqual(decide({ ...run }))
          }
        },
      })
      expect([...breaches(plan, shell.log), ...detours(plan, shell.log)]).toEqual([])
      for (const [pass, { looks, hit, missed, asks }] of passesOf(shell.log)) {
        const step = plan.steps.get(pass.split("/")[0] ?? "")
        const keeps = step !== undefined && "cache" in step && step.cache !== undefined
        expect([pass, looks]).toEqual([pass, keeps && (hit || missed) ? 1 : looks])
        if (!keeps) expect([pass, looks, hit, missed]).toEqual([pass, 0, false, false])
        if (hit) expect([pass, asks, missed]).toEqual([pass, 0, false])
        if (hit) seen.hits += 1
        else if (missed) seen.misses += 1
        else seen.plain += 1
      }
    }),
    { numRuns: amount(150, 60) },
  )
  expect(Math.min(seen.hits, seen.misses, seen.plain)).toBeGreaterThan(20)
})
