// Measures whether later steps cost more [J8]: step 200 may cost at most 1.2 times step 10. Two measurements with different sources of
// error: windows of ten steps by event times (`at`, whole ms, so ten steps are a window; of code steps, one commit's worth), and whole runs
// of different lengths by the client's clock, whose slope is the cost of one more step.

import type { Api, Row } from "./api.ts"
import { median, short, slope, spread, table } from "./figures.ts"

const HALF = 5
/** A code step is three events, and a commit holds 256 of them: 4 ms at about every 87th step, so a window of ten steps has a commit or none. Of
 *  this width, each has one. */
const HALF_OF_CODE = 44

/** ms per step around step `n`, by event times. */
function around(events: readonly Row[], n: number, half: number): number {
  const ends = events.filter((e) => e.type === "step.finished").map((e) => e.at)
  const last = Math.min(n + half, ends.length) - 1
  const first = Math.max(0, last - 2 * half)
  return ((ends[last] ?? Number.NaN) - (ends[first] ?? Number.NaN)) / (last - first)
}

export async function growth(api: Api, runs: number): Promise<string> {
  const cases = [
    { flow: "bench-chain-200", at: [10, 100, 195], half: HALF },
    { flow: "bench-chain-400", at: [10, 200, 395], half: HALF },
    { flow: "bench-code-200", at: [56, 100, 144], half: HALF_OF_CODE },
    { flow: "bench-segments-200", at: [10, 100, 195], half: HALF },
  ]
  const seen = cases.map(({ at }) => at.map((): number[] => []))
  for (let n = -1; n < runs; n++)
    for (const [i, c] of cases.entries()) {
      const events = await api.events((await api.run(c.flow)).id)
      // The first round warms up.
      if (n >= 0) for (const [k, step] of c.at.entries()) seen[i]?.[k]?.push(around(events, step, c.half))
    }
  const rows = cases.map((c, i) => {
    const windows = seen[i] ?? []
    const early = windows[0] ?? []
    return [
      c.flow.replace("bench-", ""),
      ...c.at.map((step, k) => `step ${step}: ${spread(windows[k] ?? [])}`),
      // Ratios within one run, so a slow run does not distort them.
      ratio(windows[1] ?? [], early),
      ratio(windows[2] ?? [], early),
    ]
  })
  return table(["flow", "ms/step early", "middle", "late", "middle/early", "late/early"], rows)
}

const ratio = (late: readonly number[], early: readonly number[]): string =>
  short(median(late.map((ms, i) => ms / (early[i] ?? Number.NaN))))

export async function lengths(api: Api, runs: number): Promise<string> {
  const sizes = [10, 100, 200, 400]
  const seen = sizes.map((): number[] => [])
  for (let n = -1; n < runs; n++)
    for (const [i, size] of sizes.entries()) {
      const from = performance.now()
      await api.run(`bench-chain-${size}`)
      if (n >= 0) seen[i]?.push(performance.now() - from)
    }
  const medians = sizes.map((size, i) => [size, median(seen[i] ?? [])] as const)
  const rows = sizes.map((size, i) => [
    `${size} steps`,
    spread(seen[i] ?? []),
    short((medians[i]?.[1] ?? Number.NaN) / size),
    i === 0 ? "–" : short(slope(medians.slice(i - 1, i + 1))),
  ])
  return table(["whole run of", "ms", "ms/step", "ms for one more step"], rows)
}
