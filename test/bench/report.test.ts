// The page of bench/peers from recorded figures. The measurement itself runs by hand: it needs the peers' packages and minutes.

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { Recorded } from "../../bench/peers/recorded.ts"
import { page, tables } from "../../bench/peers/report.ts"

const file = (name: string): string => readFileSync(new URL(`../../bench/${name}`, import.meta.url), "utf8")
const recorded = Recorded.parse(JSON.parse(file("peers/figures.json")))

test("bench/report.html is what the script makes of the recorded figures", () => {
  expect(file("report.html")).toBe(page(recorded))
})

test("every contender that was measured has a bar in the plots of its workloads, and the page loads nothing", () => {
  const html = page(recorded)
  expect(html).not.toMatch(/<script|https?:/)
  for (const { name } of recorded.contenders) {
    const measured = new Set(recorded.samples.filter((s) => s.contender === name).map(({ place, work }) => `${place} ${work}`))
    const bars = html.split(`text-anchor="end">${name}</text>`).length - 1
    expect(bars, name).toBeGreaterThanOrEqual(measured.size)
  }
})

test("a name from outside is text, never markup", () => {
  const [first] = recorded.samples
  if (!first) throw new Error("no samples were recorded")
  const name = '<img src=x onerror="alert(1)">'
  const html = page({ ...recorded, contenders: [{ name, note: name }], samples: [{ ...first, contender: name }], left_out: [name] })
  expect(html).not.toContain("<img")
})

test("a workload that nobody ran shows a dash in the tables and no plot", () => {
  const none = { ...recorded, samples: [], counts: [] }
  expect(page(none)).not.toContain("<svg")
  expect(tables(none)).toContain("–")
})
