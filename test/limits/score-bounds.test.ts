// What bounds scorers, accounts, judges' evidence and feedback [V1–V6, V19], each one member beyond its limit.

import { describe, expect, test, vi } from "vitest"
import { MOST_TRIES, Scorings, type ScoringsDeps } from "../../src/cloudflare/tenant/quality/scorings.ts"
import { builtInScorer } from "../../src/core/score/built-in.ts"
import { HANDLER_MS, scoreAsked } from "../../src/engine/score/score-asked.ts"
import type { SandboxRequest } from "../../src/ports/sandbox.ts"
import { MAX_ACCOUNT, MAX_ACCOUNT_TEXT, bounded } from "../../src/core/score/bounded-account.ts"
import { parseScorer } from "../../src/core/score/parse-scorer.ts"
import { kept, MAX_REASON } from "../../src/core/run/said/score.ts"
import { MAX_JUDGED_STEPS, MAX_LEVEL_TEXT, MAX_LEVELS, MAX_RUBRIC, MAX_SCORER_FILES } from "../../src/core/score/scorer-fields.ts"
import { feedbackGiven, MAX_GRADES, MAX_KEY_FEEDBACK, MAX_PAGE_FEEDBACK } from "../../src/core/run/said/said.ts"
import type { Run } from "../../src/core/run/state.ts"
import { ScoringStore, MOST_WAITING } from "../../src/cloudflare/tenant/quality/scoring-store.ts"
import { TenantSql } from "../../src/cloudflare/tenant/tenant-sql.ts"
import { MAX_SCORER_BYTES } from "../../src/core/flow/parse/yaml-scan.ts"
import { MAX_SCORERS } from "../../src/core/score/scorer-fields.ts"
import { sqliteStorage } from "../support/cloudflare/sqlite-storage.ts"
import { world } from "../support/engine/memory-catalog.ts"

const judged = (judge: object, more: object = {}): string =>
  JSON.stringify({ name: "helpful", description: "d", judge: { rubric: "r", ...judge }, ...more })

const codes = (text: string): readonly string[] =>
  parseScorer(text).diagnostics.flatMap(({ severity, code }) => (severity === "error" ? [code] : []))

const many = (count: number, name: string): readonly string[] => Array.from({ length: count }, (_, i) => `${name}${i}`)
const levels = (count: number): object => Object.fromEntries(many(count, "level ").map((text, i) => [String(i / 20), text]))

describe("a scorer's file", () => {
  test.each([
    ["a rubric", (n: number) => judged({ rubric: "r".repeat(n) }), MAX_RUBRIC, "EV-VALUE"],
    ["a level's text", (n: number) => judged({ levels: { 0: "no", 1: "y".repeat(n) } }), MAX_LEVEL_TEXT, "EV-LEVELS"],
    ["levels", (n: number) => judged({ levels: levels(n) }), MAX_LEVELS, "EV-LEVELS"],
    ["files", (n: number) => judged({}, { files: many(n, "f") }), MAX_SCORER_FILES, "EV-VALUE"],
    ["judged steps", (n: number) => judged({ steps: many(n, "s") }), MAX_JUDGED_STEPS, "EV-VALUE"],
  ] as const)("[V2] bounds %s", (_, text, most, code) => {
    expect(codes(text(most))).toEqual([])
    expect(codes(text(most + 1))).toEqual([code])
  })
})

test("[V1] a scorer's file is bounded, and so is how many a tenant has", async () => {
  const text = (bytes: number): string => judged({}).padEnd(bytes, " ")
  expect(codes(text(MAX_SCORER_BYTES))).toEqual([])
  expect(codes(text(MAX_SCORER_BYTES + 1))).toEqual(["EV-LIMIT"])
  const file = (name: string): string => `name: ${name}\ndescription: d\nexpect: { status: succeeded }\n`
  const scorers = (count: number) => ({ scorers: Object.fromEntries(many(count, "s").map((name) => [`${name}.yaml`, file(name)])) })
  expect(await world().catalog.replace(scorers(MAX_SCORERS))).toMatchObject({ ok: true })
  const { ok, diagnostics } = await world().catalog.replace(scorers(MAX_SCORERS + 1))
  expect(ok).toBe(false)
  expect(new Set(Object.values(diagnostics).flatMap((list) => list.map(({ code }) => code)))).toEqual(new Set(["EV-LIMIT"]))
})

test("[V16] of more scorings than may wait, one is left out, and its caller hears so", () => {
  const store = new ScoringStore(new TenantSql(sqliteStorage()))
  const add = (i: number): boolean => store.add({ run: `run_${i}`, scorer: "helpful", flow: "f", order: { by: "sample" } }, 0)
  for (let i = 0; i < MOST_WAITING; i++) add(i)
  expect([store.waiting(), add(MOST_WAITING), store.waiting()]).toEqual([MOST_WAITING, false, MOST_WAITING])
})

test("[V16] a scoring that always fails is given up", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const store = new ScoringStore(new TenantSql(sqliteStorage()))
  let [now, tries] = [0, 0]
  const work: Promise<unknown>[] = []
  const deps = {
    store,
    known: async () => ({ scorer: builtInScorer("succeeded"), version: "0" }),
    score: async () => {
      tries += 1
      throw new Error("the run's object does not answer")
    },
    want: () => undefined,
    later: (one: Promise<unknown>) => void work.push(one),
    now: () => now,
  } as unknown as ScoringsDeps
  const scorings = new Scorings(deps)
  store.add({ run: "run_1", scorer: "succeeded", flow: "f", order: { by: "sample" } }, 0)
  while (store.waiting() > 0 && tries <= 2 * MOST_TRIES) {
    now += 3_600_000
    await scorings.work(now)
    await Promise.all(work.splice(0))
  }
  said.mockRestore()
  expect([store.waiting(), tries]).toEqual([0, MOST_TRIES + 1])
})

test("[V5] a handler has ten seconds, and one that takes longer leaves an error", async () => {
  const asked: SandboxRequest[] = []
  const sandbox = {
    run: async (request: SandboxRequest) => {
      asked.push(request)
      return { ok: false, kind: "timeout", message: "the handler took longer than 10 s", logs: [] } as never
    },
  }
  const view = { flow: "f", task: "t", status: "succeeded", inputs: {}, steps: {}, usage: { tokens: 0, usd: null, tool_calls: 0 } }
  const scored = () => ({ account: { flow: "f" }, view, events: [] })
  const deps = { flow: "f", task: "t", scored, file: async () => null, sandbox, turn: async () => undefined, fresh: () => "id" } as never
  const scorer = { name: "mine", description: "d", kind: "code", files: [] } as const
  const { verdict } = (await scoreAsked(deps, { scorer, code: "export default () => 1" })) as never
  expect(verdict).toEqual({ score: null, error: "the handler took longer than 10 s" })
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([HANDLER_MS])
})

describe("what a scorer sees and says", () => {
  test("[V4] a text of an account is cut, and so is what comes last of a large one", () => {
    const text = "x".repeat(MAX_ACCOUNT_TEXT)
    expect(bounded({ task: `${text}y` })).toEqual({ task: text })
    const steps = Object.fromEntries(many(MAX_ACCOUNT / MAX_ACCOUNT_TEXT, "s").map((id) => [id, text]))
    const cut = bounded({ steps: { ...steps, last: "z" }, answer: "first" })
    expect(cut.answer).toBe("first")
    expect(cut.steps).toMatchObject({ s0: text, last: "" })
  })

  test("[V5] a reason is cut", () => {
    const text = "r".repeat(MAX_REASON + 1)
    expect(kept({ score: 1, reason: text }).reason).toHaveLength(MAX_REASON)
    expect(kept({ score: null, error: text }).error).toHaveLength(MAX_REASON)
  })
})

describe("feedback", () => {
  const given = { type: "feedback.given", id: "f", by: "key", thumb: "up" } as const
  const after = (keys: number, pages: number, grades: number): Run =>
    ({ said: { scores: {}, feedback: {}, given: { keys, pages, grades } } }) as unknown as Run

  test.each([
    ["keys", (n: number) => after(n, 0, 0), given, MAX_KEY_FEEDBACK],
    ["pages", (n: number) => after(0, n, 0), { ...given, page: true as const }, MAX_PAGE_FEEDBACK],
    ["grades", (n: number) => after(0, 0, n), { ...given, scorer: "helpful" }, MAX_GRADES],
  ] as const)("[V19] of %s is bounded for a run", (_, run, fact, most) => {
    expect(feedbackGiven(run(most - 1), fact).ok).toBe(true)
    expect(feedbackGiven(run(most), fact)).toMatchObject({ ok: false, error: { code: "too_many" } })
  })
})
