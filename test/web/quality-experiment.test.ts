import { expect, test } from "vitest"
import { experimentWish, type ExperimentForm } from "../../web/quality/experiment-form.ts"
import { percentOf, rowsWords, rulingOf, scaleOf, signed, verdictOf, type Measured } from "../../web/quality/experiment-words.ts"
import { forecastWords } from "../../web/quality/forecast-words.ts"
import { worseScores } from "../../web/quality/worse-scores.ts"

const measured = (difference: number, interval: readonly [number, number] | null): Measured => ({
  n: 100,
  difference,
  interval,
  better: 9,
  worse: 2,
})
const compared = (variant: string, scores: Readonly<Record<string, Measured>>) => ({
  variant,
  with: "now",
  scores,
  usd: measured(0, null),
  ms: measured(0, null),
})
const good = measured(0.04, [0.01, 0.08])
const bad = measured(-0.06, [-0.12, -0.01])
const open = measured(0.02, [-0.01, 0.06])

test("[V37] only an interval without 0 decides, and less is better of costs", () => {
  expect([good, bad, open, measured(1, null)].map((one) => rulingOf(one))).toEqual(["better", "worse", "open", "open"])
  expect(rulingOf(bad, true)).toBe("better")
})

test("[V44] the verdict is one sentence that can be false", () => {
  const of = (...all: readonly ReturnType<typeof compared>[]) => verdictOf({ rows: 100, same: 61, compared: all })
  expect(of(compared("short", { helpful: good, polite: open }))).toEqual({
    kind: "complete",
    title: "short is better: helpful +4 points",
    about: "For helpful the truth lies between +1 and +8 points, 95 times of 100.",
  })
  expect(of(compared("short", { helpful: bad }))).toMatchObject({ kind: "error", title: "short is worse: helpful −6 points" })
  expect(of(compared("short", { helpful: good, polite: bad }))).toMatchObject({
    kind: "waiting",
    title: "short is better and worse: helpful +4 points; polite −6 points",
  })
  expect(of(compared("short", { helpful: open }))).toMatchObject({ kind: "waiting", title: "It is not decided" })
  expect(of(compared("short", { helpful: { ...open, interval: null, n: 4 } }))?.about).toMatch(/^4 rows are too few/)
  expect(of(compared("a", { helpful: bad }), compared("b", { helpful: good }))?.title).toBe("b is better: helpful +4 points")
  expect(verdictOf({ rows: 5, same: 5, compared: [compared("short", { helpful: open })] })?.title).toBe("All variants do the same")
  expect(verdictOf({ rows: 5, same: 0 })).toBeUndefined()
})

test("[V44] percent is of what was asked anew, and an axis is the same on both sides", () => {
  const usd = measured(-0.001, [-0.002, -0.0005])
  expect(percentOf(usd, 50, 0.01)).toMatchObject({ difference: -20, interval: [-40, -10] })
  expect(percentOf(usd, 100, 0.01)).toBeUndefined()
  expect(percentOf(usd, 0, null)).toBeUndefined()
  expect([scaleOf([4, -3]), scaleOf([-12]), scaleOf([150]), scaleOf([])]).toEqual([5, 20, 200, 5])
  expect([4.4, -6, 0, -0.3].map(signed)).toEqual(["+4", "−6", "0", "0"])
  expect([rowsWords("regression"), rowsWords({ last: 100 }), rowsWords({ runs: ["a"] })]).toEqual([
    "the dataset regression",
    "the last 100 runs",
    "one run",
  ])
})

test("[V38] a row that got worse names its scorers, and the two runs to compare", () => {
  const trial = (variant: string, run: string, score: number | null) => ({ variant, run, scores: { helpful: score, polite: 1 } })
  expect(
    worseScores([trial("now", "r1", 1), trial("now", "r2", 1), trial("short", "r3", 1), trial("short", "r4", 0)], "now", "short"),
  ).toEqual([{ scorer: "helpful", before: 1, after: 0.5, runs: ["r1", "r4"] }])
  expect(worseScores([trial("now", "r1", null), trial("short", "r3", 0)], "now", "short")).toEqual([])
})

const form: ExperimentForm = {
  flow: "support",
  dataset: "",
  last: "100",
  kind: "draft",
  value: "short",
  agent: "",
  scorers: ["helpful"],
  usd: "4",
}

test("[V32] the form is what the API takes, or says what is wrong with it", () => {
  expect(experimentWish(form)).toEqual({
    wish: {
      flow: "support",
      dataset: { last: 100 },
      variants: [{ name: "now" }, { name: "short", draft: "short" }],
      scorers: ["helpful"],
      budget: { usd: 4 },
    },
  })
  const variantOf = (change: Partial<ExperimentForm>) => {
    const asked = experimentWish({ ...form, usd: "", ...change })
    return "wish" in asked ? asked.wish.variants[1] : asked.faults
  }
  expect(variantOf({ kind: "revision", value: "41" })).toEqual({ name: "r41", revision: 41 })
  expect(variantOf({ kind: "model", value: "a/b", agent: "writer" })).toEqual({ name: "b", models: { writer: "a/b" } })
  expect(variantOf({ kind: "recorded", value: "" })).toEqual({ name: "recorded", recorded: true })
  expect(Object.keys(variantOf({ flow: "", last: "0", kind: "model", value: "", scorers: [], usd: "x" }) ?? {}).sort()).toEqual([
    "/agent",
    "/budget",
    "/dataset",
    "/flow",
    "/scorers",
    "/variants",
  ])
})

test("[V32] what it would take is said before it begins", () => {
  const typical = { tokens: 12_000, usd: 0.02 }
  expect(forecastWords({ rows: 100, looked: 50, same: 30, trials: 80, typical })).toBe(
    "100 rows. Of 50 that were looked at, 30 need no model. About 80 trials, of which a recorded run took $0.020 each from where they part.",
  )
  expect(forecastWords({ rows: 4, looked: 4, same: 4, trials: 0, typical })).toBe(
    "4 rows. Of 4 that were looked at, none differs: it costs nothing.",
  )
  expect(forecastWords({ rows: 0, looked: 0, same: 0, trials: 0, typical })).toMatch(/no row/)
})
