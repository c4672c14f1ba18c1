// The line's rows and words without other objects [R5, R17, R20, R22]: what is full, what a reset repeats, and who pays nothing.

import { expect, test } from "vitest"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenant/tenants.ts"
import type { LineAsk } from "../../../../src/ports/tenant/line.ts"
import { ask, blockOf, come, lineStand as stand } from "../../../support/cloudflare/line-stand.ts"

test("[R20] a word that nobody heard is said again by a line that was reset, and is the same", async () => {
  const { line, woken, told, answers, clock, settled } = stand()
  come(line, ask("a"))
  come(line, ask("b"))
  line.heard("a", "on")
  answers.set("b", new Error("the object is away"))
  line.over("a")
  await settled()
  const [first] = told
  expect(first).toMatchObject(["b", { word: { held: "concurrency" } }])
  clock.now += 10_000
  answers.delete("b")
  const again = woken().line
  expect(again.due()).toBeLessThanOrEqual(clock.now)
  await again.work()
  expect(told.at(-1)).toEqual(first)
  expect(again.due()).toBeUndefined()
  // While it is not known to have ended, its key is held.
  expect(come(again, ask("c"))).toBeUndefined()
})

test("[R20] the word of a start that asks again, also after a reset, is the same, and it takes its key once", () => {
  const { line, woken, clock } = stand()
  const word = come(line, ask("a"))
  expect(word).toMatchObject({ began: clock.now })
  clock.now += 1_000
  const again = woken().line
  expect(again.stored(ask("a"), false)).toEqual(word)
  expect(come(again, ask("b"))).toBeUndefined()
})

test("[R19] the line's clock never goes back, and a delay passes all the same", async () => {
  const { woken, line, clock } = stand()
  const word = come(line, ask("a"))
  clock.now -= 3_600_000
  const again = woken().line
  const delayed = { ...ask("b", "other"), block: { ...blockOf("other"), delay: { ms: 1_000 } } }
  expect(come(again, delayed)).toBeUndefined()
  expect(again.due()).toBe(clock.now + 1_000)
  clock.now += 1_000
  await again.work()
  expect(again.stored(delayed, false)?.began).toBeGreaterThanOrEqual((word?.began ?? 0) + 1_000)
})

test("[R17] a thousand starts of one key may wait, and the next from the API is refused; a delivery never is", () => {
  const { line } = stand()
  for (let n = 0; n < 1_000; n++) come(line, ask(`r${n}`, "k"))
  expect(line.arrive(ask("over"))).toMatchObject({ ok: true })
  expect(line.arrive(ask("more"))).toMatchObject({ ok: false, code: "quota", message: expect.stringContaining("1000 starts of this key") })
  expect(line.arrive(ask("other", "other"))).toMatchObject({ ok: true })
  expect(line.arrive(ask("hook", "k", "webhook"))).toMatchObject({ ok: true })
  // [R18] Of those ahead a hundred are counted, and a page looks at two thousand.
  line.stored(ask("over"), false)
  expect(line.waiting("over")).toMatchObject({ reason: "concurrency", ahead: 100, run: "r0" })
})

test("[R17] ten thousand starts of a tenant may wait; [R18] a page of their list looks at two thousand of them", () => {
  const { line } = stand()
  for (let n = 0; n < 10_000; n++) line.arrive(ask(`r${n}`, `k${n}`, "webhook"))
  expect(line.arrive(ask("more", "new"))).toMatchObject({
    ok: false,
    code: "quota",
    message: expect.stringContaining("10000 starts of this tenant"),
  })
  const page = line.list({ limit: 10, flow: "nobody" })
  expect(page).toMatchObject({ data: [], next_cursor: expect.any(String) })
})

test("[R22] an API start counts in the minute in which it arrives, and takes its place when it begins", () => {
  const { line, gate } = stand({ ...DEFAULT_QUOTAS, concurrent_runs: 1, starts_per_minute: 3 })
  expect(come(line, ask("a"))).toBeDefined()
  expect(gate.room()).toMatchObject({ concurrent: { left: 0 }, starts: { left: 2 } })
  // Its key is free, and there is no place.
  expect(come(line, ask("b", "other"))).toBeUndefined()
  expect(line.waiting("b")).toMatchObject({ reason: "room" })
  expect(come(line, ask("c", "third"))).toBeUndefined()
  expect(line.arrive(ask("d", "fourth"))).toMatchObject({ ok: false, code: "quota" })
  gate.note("a", true)
  line.over("a")
  line.room()
  expect(line.stored(ask("b", "other"), false)).toMatchObject({ held: "room" })
  expect(line.waiting("c")).toMatchObject({ reason: "room" })
})

test("[R21] a tenant none of whose starts waits has no table of the line, and nothing of it is due", async () => {
  const { sql, line } = stand()
  sql.begin()
  line.over("a")
  line.heard("a", "on")
  line.room()
  expect(line.due()).toBeUndefined()
  await line.work()
  expect(sql.read("SELECT name FROM sqlite_master WHERE name LIKE 'start_line%' OR name LIKE 'start_thing%'")).toEqual([])
})

test("[R20] a start whose object never stored it is asked for and forgotten, and holds up nobody", async () => {
  const { line, answers, clock, told } = stand()
  line.arrive(ask("lost"))
  expect(come(line, ask("next"))).toBeDefined()
  answers.set("lost", false)
  clock.now += 130_000
  line.heard("next", "on")
  await line.work()
  expect(told).toContainEqual(["lost", "report"])
  expect(line.waiting("lost")).toBeUndefined()
})

test("[R9] [R18] a start is found by everyone whose starts are in it, also by one that came late and by one that came twice", () => {
  const { line } = stand()
  const kind = { name: "f", autonomous: false, rehearse: false }
  const block = { debounce: { pool: "f", key: "k", period: 60_000, timeout: 600_000 }, priority: "normal" as const }
  const send = (run: string, by: LineAsk["by"], order: number): void => {
    const said: LineAsk = { run, flow: "f", kind: "webhook", block, window: { kind }, order, ...(by ? { by } : {}) }
    expect(line.arrive(said)).toMatchObject({ ok: true })
  }
  send("a", { hook: "first" }, 10)
  send("b", { api_key: "bo", key_id: "key_bo" }, 30)
  send("c", { schedule: "nightly" }, 20)
  send("d", { api_key: "bo", key_id: "key_bo" }, 40)
  const found = (filter: object): readonly string[] => {
    const page = line.list({ ...filter, limit: 10 })
    return "data" in page ? page.data.map(({ run }) => run) : []
  }
  for (const filter of [{ hook: "first" }, { schedule: "nightly" }, { api_key: "bo" }]) expect(found(filter)).toEqual(["a"])
  for (const filter of [{ hook: "bo" }, { schedule: "first" }, { api_key: "al" }, { api_key: "key_bo" }]) expect(found(filter)).toEqual([])
})
