// What a repair of a low score tries [V18], and when the fork's scorer is asked.

import { expect, test } from "vitest"
import { prove, type ProofDeps } from "../../../src/engine/repair/prove.ts"
import { unscored, type Repair, type RepairEvidence } from "../../../src/ports/tenant/authoring/repairs.ts"
import { runView } from "../../../src/core/run/views/view.ts"
import { lowestIn, newestIn, versionsIn } from "../../../src/core/run/said/scored-events.ts"
import { Stand } from "../../support/engine/stand.ts"

const LOW = { scorer: "polite", version: "0123456789ab", score: 0, below: 0.5 }
const REPAIR: Omit<Repair, "story"> = { run: "run_low", flow: "f", step: "write", rehearsed: false, low: LOW }

/** `ended`: the fork has; `asked` counts the scorer's questions. */
function world(ended: boolean) {
  const s = new Stand("name: f\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 1h }\n", [], [])
  s.start()
  const view = { ...runView(s.conductor.run), id: "run_fork" }
  const seen = { now: 1_000, ended, asked: [] as string[], wishes: [] as unknown[], proof: undefined as RepairEvidence | undefined }
  const deps: ProofDeps = {
    now: () => seen.now,
    keep: async (proof) => {
      seen.proof = proof
      return true
    },
    texts: async () => ({}),
    fork: async (wish) => {
      seen.wishes.push(wish)
      return { ok: true, view }
    },
    tests: async () => undefined,
    backtest: async () => undefined,
    score: async (fork, scorer) => {
      if (!seen.ended) return undefined
      seen.asked.push(`${fork} ${scorer}`)
      return { asked: seen.now }
    },
  }
  const go = (repair: Omit<Repair, "story"> = REPAIR) =>
    prove(deps, "run_session", { ...repair, ...(seen.proof ? { proof: seen.proof } : {}) })
  return { seen, go }
}

test("[V18] the fork is dry and from the start; its scorer is asked once, when it has ended, and again if nothing came of it", async () => {
  const { seen, go } = world(false)
  const { step: _step, ...fromStart } = REPAIR
  await go(fromStart)
  expect(seen.wishes).toEqual([{ from: {}, effects: "dry" }])
  expect([seen.asked, seen.proof?.score]).toEqual([[], undefined])
  seen.ended = true
  await go(fromStart)
  await go(fromStart)
  expect([seen.asked, seen.proof?.score]).toEqual([["run_fork polite"], { asked: 1_000 }])
  seen.now += 150_001
  await go(fromStart)
  expect([seen.asked.length, seen.wishes.length]).toEqual([2, 1])
})

test("[F77] a failed run goes on from its step, staged, and nothing is scored", async () => {
  const { seen, go } = world(true)
  const { low: _low, ...failed } = REPAIR
  await go(failed)
  expect([seen.wishes, seen.asked]).toEqual([[{ from: { step: "write" }, effects: "staged" }], []])
})

test("[V18] no scorer is asked about a fork that there is not, nor after a refusal", () => {
  const proof = { run: "r", begun: 1, at: 1, fork: { run: "run_fork", from: "start" as const } }
  expect(unscored({ low: LOW, proof }, 1)).toMatchObject({ run: "run_fork" })
  expect(unscored({ low: LOW, proof: { ...proof, fork: { error: "no" } } }, 1)).toBeUndefined()
  expect(unscored({ low: LOW, proof: { ...proof, score: { error: "no budget" } } }, 1e9)).toBeUndefined()
  expect(unscored({ proof }, 1)).toBeUndefined()
})

test("[V18] the lowest of the newest scores counts: neither an older one, nor an error, nor null", () => {
  const scored = (scorer: string, score: number | null, more: object = {}) => ({
    type: "run.scored" as const,
    scorer,
    version: "a",
    score,
    by: "me",
    seq: 1,
    at: 1,
    v: 1,
    prev: "",
    ...more,
  })
  const said = [
    scored("kind", 0.4),
    scored("kind", 0.1, { version: "b" }),
    scored("short", 0.3),
    scored("long", null),
    scored("odd", 0, { error: "threw" }),
  ]
  expect(lowestIn(said, 0.5)).toMatchObject({ scorer: "short", score: 0.3 })
  expect(lowestIn(said, 0.5, "kind")).toMatchObject({ score: 0.4 })
  expect([lowestIn(said, 0.3), lowestIn(said, 0.5, "odd"), lowestIn(said, 0.5, "long")]).toEqual([undefined, undefined, undefined])
  expect(newestIn(said).map(({ scorer }) => scorer)).toEqual(["kind", "short", "long", "odd"])
  expect(versionsIn(said)["kind"]).toEqual(["a", "b"])
})
