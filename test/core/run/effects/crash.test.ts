// A server that is killed anywhere [J11, K31–K33]: a fake service counts the requests that it gets by their key. Of an idempotent tool each
// committed effect happens exactly once; of another, none is ever sent twice, and what may have happened is said to be uncertain.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Ledger, openRows } from "../../../../src/core/run/effects/ledger.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { amount } from "../../../support/amount.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const made = (name: string, idempotent: boolean): ToolSpec => ({
  name,
  description: name,
  parameters: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false },
  effect: "write",
  contexts: ["agent"],
  reach: { to: { host: "mail.example" }, method: { fixed: "POST" } },
  ...(idempotent ? { idempotent } : {}),
})
const OWN = [made("sure", true), made("once", false)]

/** Where the server is killed at one effect: before its request leaves, after the service has it, or not. */
type Kill = "before" | "after" | "never"
interface Case {
  readonly mode: "live" | "staged" | "dry"
  readonly calls: readonly ("sure" | "once")[]
  readonly kills: readonly Kill[]
  readonly chosen: readonly boolean[]
  readonly atRest: readonly boolean[]
}

const cases: fc.Arbitrary<Case> = fc.record({
  mode: fc.constantFrom("live", "staged", "dry"),
  calls: fc.array(fc.constantFrom("sure", "once"), { minLength: 1, maxLength: 6 }),
  kills: fc.array(fc.constantFrom<Kill>("before", "after", "never"), { maxLength: 10 }),
  chosen: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  atRest: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
})

class Stage {
  readonly shell: Shell
  /** What the service did, by key: an idempotent one answers a repeat without doing it again. */
  readonly done = new Map<string, number>()
  readonly requests = new Map<string, number>()
  readonly #kills: Kill[]

  constructor({ mode, kills }: Case) {
    const worker = agentOf("worker", { tools: { kind: "list", names: OWN.map((t) => t.name) } })
    const plan = compile({ flow: flowOf([agent("a")]), agents: { worker }, skills: {}, tools: [...TOOLS, ...OWN] })
    this.shell = new Shell(plan, { snapshotEvery: 4, ...(mode === "live" ? {} : { started: { effects: mode } }) })
    this.#kills = [...kills]
  }

  /** Carries out everything that is under way, and dies where the case says so. */
  work(): void {
    for (let n = 0; n < 200; n++) {
      const [effect] = [...this.shell.flights.values()].filter((e) => e.do === "run-tool" || e.do === "carry-out")
      if (!effect) return
      const tool = effect.do === "run-tool" ? effect.call.name : effect.do === "carry-out" ? effect.tool : ""
      const kill = this.#kills.shift() ?? "never"
      if (kill !== "before") this.#request(effect.key, tool)
      if (kill !== "never") this.shell.crash()
      else if (effect.do === "run-tool") this.shell.tell({ type: "tool.result", key: effect.key, result: { isError: false, content: [] } })
      else this.shell.tell({ type: "effect.result", key: effect.key, result: { state: "confirmed" } })
    }
    throw new Error("it does not end")
  }

  #request(key: string, tool: string): void {
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1)
    if (tool === "once" || !this.done.has(key)) this.done.set(key, (this.done.get(key) ?? 0) + 1)
  }
}

function played(given: Case): Stage {
  const stage = new Stage(given)
  const { shell } = stage
  const rest = (at: number): void => {
    if (given.atRest[at]) shell.crash()
  }
  shell.reply("a", ...given.calls.map((name, n) => call(name, { n })))
  stage.work()
  rest(0)
  shell.reply("a", finish())
  rest(1)
  const question = shell.pending().find((i) => i.kind === "effects")
  if (question) {
    rest(2)
    const keys = (question.payload["effects"] as { key: string }[]).map((e) => e.key).filter((_, i) => given.chosen[i])
    shell.answer(question.id, { answer: { commit: keys } })
    stage.work()
  }
  return stage
}

describe("a server that is killed anywhere", () => {
  test("[K31] [K32] [K33] each effect of an idempotent tool happens once, another is never sent twice, and a dry run sends nothing", () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { shell, done, requests } = played(given)
        expect(shell.run.status).toBe("succeeded")
        const ledger = new Ledger(shell.plan)
        for (const e of shell.log) ledger.take(e)
        expect(ledger.rows).toHaveLength(given.calls.length)
        for (const { key, tool, state } of ledger.rows) {
          const count = done.get(key) ?? 0
          expect(count).toBeLessThanOrEqual(1)
          if (tool === "once") expect(requests.get(key) ?? 0).toBeLessThanOrEqual(1)
          if (state === "confirmed") expect(count).toBe(1)
          if (state === "discarded") expect(count).toBe(0)
          if (count === 1) expect(["confirmed", "uncertain"]).toContain(state)
          expect(["confirmed", "uncertain", "discarded"]).toContain(state)
          // A committed effect of an idempotent tool goes out until it is confirmed.
          if (tool === "sure" && given.mode === "staged" && state !== "discarded") expect(state).toBe("confirmed")
        }
        if (given.mode === "dry") expect(requests.size).toBe(0)
        // The state has the same open effects as the ledger, also when it is folded from a snapshot.
        const open = ledger.rows.flatMap(({ key, state }) => (state === "uncertain" ? [key] : []))
        expect(
          openRows(shell.run)
            .map((row) => row.key)
            .toSorted(),
        ).toEqual(open.toSorted())
        expect(openRows(shell.refolded())).toEqual(openRows(shell.run))
      }),
      { numRuns: amount(400, 150) },
    )
  })
})
