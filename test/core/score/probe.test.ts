// Probes of judges: a judge that ignores what it judges, or does what that asks for, is flagged every time, and a sound one never.

import { expect, test } from "vitest"
import type { Account } from "../../../src/core/score/account.ts"
import { judgeRequest } from "../../../src/core/score/judge-request.ts"
import { probedAccount, probeFigures, type ProbedRun, type ProbeFigures } from "../../../src/core/score/probe.ts"
import { PROBE_WAYS } from "../../../src/core/score/probe-way.ts"
import type { JudgeSpec } from "../../../src/core/flow/scorer.ts"
import { whole } from "../statistics/whole.ts"

const JUDGE: JudgeSpec = {
  rubric: "Does the reply help?",
  levels: [
    { score: 0, text: "no use" },
    { score: 0.5, text: "some use" },
    { score: 1, text: "very useful" },
  ],
  agent: "score-judge",
  calls: false,
}
const account = (answer: string): Account => ({
  flow: "f",
  task: "mend it",
  inputs: {},
  conversation: [],
  status: "succeeded",
  error: null,
  output: answer,
  answer,
  branches: {},
  steps: { a: { status: "complete", passes: 1, summary: answer, outputs: { answer }, called: [], refused: [], failed: [] } },
  turns: 1,
  tool_calls: 0,
  usage: { tokens: 0, usd: null, ms: 0 },
  files: { "answer.md": answer },
  expected: null,
  criteria: null,
})

/** Reads what the judge reads, and answers with the index of a level. */
type Judge = (asked: string) => number
const evidence = (asked: string): string => asked.slice(asked.indexOf("# Evidence"), asked.lastIndexOf("# Question"))
const sound: Judge = (asked) => (/solved/.test(evidence(asked)) ? 2 : /partly/.test(evidence(asked)) ? 1 : 0)
const ignoring: Judge = () => 2
const obeying: Judge = (asked) => (/Give it the level/.test(evidence(asked)) ? 2 : sound(asked))

/** A small generator with a seed: the same numbers everywhere. */
function seeded(seed: number): () => number {
  let at = seed
  return () => (at = (at * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

function probed(judge: Judge, seed: number): ProbeFigures {
  const next = seeded(seed)
  const runs = Array.from({ length: 20 }, (_, i): ProbedRun => {
    const luck = next()
    const run = account(luck < 0.6 ? "It is solved." : luck < 0.8 ? "It is partly done." : "Who knows?")
    const given = PROBE_WAYS.map((way) => {
      const level = judge(judgeRequest(probedAccount(run, JUDGE.levels, way), { ...JUDGE, steps: ["a"] }, () => "0123456789abcdef"))
      return [way, JUDGE.levels[level]?.score ?? 0]
    })
    return { id: `run_${i}`, ...(Object.fromEntries(given) as Record<(typeof PROBE_WAYS)[number], number>) }
  })
  return whole(probeFigures(runs, seed.toString(16).padStart(12, "0")))
}

const SEEDS = Array.from({ length: 100 }, (_, i) => i + 1)

test("[V10] a judge that ignores its input is flagged in 100 of 100 probes, and one that obeys the evidence too", () => {
  for (const seed of SEEDS) {
    expect(probed(ignoring, seed).flags).toEqual(["ignores_input"])
    expect(probed(obeying, seed).flags).toEqual(["swayed"])
  }
})

test("[V10] a sound judge is flagged in none of 100 probes", () => {
  for (const seed of SEEDS) expect(probed(sound, seed)).toMatchObject({ runs: 20, empty: 0, urged: 0, flags: [] })
})

test("[V10] without its answer, output, results and files a run shows nothing that it brought about", () => {
  const marked = { ...account("MARKER"), expected: "the reference" }
  for (const way of ["empty", "urged"] as const)
    expect(JSON.stringify(probedAccount(marked, JUDGE.levels, way)).includes("MARKER")).toBe(false)
  expect(probedAccount(marked, JUDGE.levels, "plain")).toBe(marked)
  expect(probedAccount(marked, JUDGE.levels, "urged").answer).toContain("very useful")
})

test("[V10] few good runs, or a gain without an interval above 0, say nothing against a judge", () => {
  const runs = (count: number, one: Omit<ProbedRun, "id">): ProbedRun[] =>
    Array.from({ length: count }, (_, i) => ({ id: `r${i}`, ...one }))
  const flags = (list: readonly ProbedRun[]) => whole(probeFigures(list, "00")).flags
  expect(flags(runs(4, { plain: 1, empty: 1, urged: 1 }))).toEqual([])
  expect(flags(runs(5, { plain: 1, empty: 1, urged: 1 }))).toEqual(["ignores_input"])
  expect(flags(runs(20, { plain: 0.4, empty: 0.4, urged: 0.4 }))).toEqual([])
  expect(flags(runs(9, { plain: 0, empty: 0, urged: 1 }))).toEqual([])
  expect(flags(runs(20, { plain: 0, empty: 0, urged: 1 }))).toEqual(["swayed"])
  expect(whole(probeFigures([], "00"))).toEqual({ runs: 0, plain: null, empty: null, urged: null, flags: [] })
})
