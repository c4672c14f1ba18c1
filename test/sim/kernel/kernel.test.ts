import { expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { courseOf, kernel } from "./kernel.ts"
import { lived, ofJournal } from "./laws.ts"

test("[J1-J16] seeds of the kernel have no finding, and give the same journals again", () => {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  expect(kernel({ seed: 1, runs: 96, say }), said.join("\n")).toBe(0)
  const seeds = Array.from({ length: 96 }, (_, i) => courseOf(i + 1))
  expect(new Set(seeds.map((it) => it.isRich))).toEqual(new Set([true, false]))
  expect(lived(courseOf(3)).journal).toBe(lived(courseOf(3)).journal)
})

test("[J1, J3, J7] a journal that breaks a law is told", () => {
  const journal = JSON.parse(lived(courseOf(3)).journal) as RunEvent[]
  expect(ofJournal(journal)).toEqual([])
  const broken = (change: (event: RunEvent) => object): string[] => ofJournal(journal.map(change) as RunEvent[])
  expect(broken((e) => (e.seq === 5 ? { ...e, at: 0 } : e)).join()).toContain("[J7]")
  expect(broken((e) => (e.type === "action.begun" ? { ...e, step: "other" } : e)).join()).toContain("[J1]")
  expect(ofJournal(journal.flatMap((e): RunEvent[] => (e.type === "model.replied" ? [e, e] : [e]))).join()).toContain("[J3]")
})
