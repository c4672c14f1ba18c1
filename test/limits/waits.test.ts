// Bounds of what waits, is tried again, or is shown of something long.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { StartGate } from "../../src/cloudflare/tenant/starts/start-gate.ts"
import { SessionBrowsers } from "../../src/engine/browser/session-browsers.ts"
import { addressJudge } from "../../src/engine/net/guarded-fetch.ts"
import type { Exec } from "../../src/ports/exec.ts"
import { DEFAULT_QUOTAS } from "../../src/ports/tenant/tenants.ts"
import type { ToolPowers } from "../../src/ports/tool.ts"
import type { FileEntry } from "../../src/ports/workspace.ts"
import { write } from "../../src/tools/files/write.ts"
import { processTools } from "../../src/tools/shell/process.ts"
import { FakeBrowser } from "../support/engine/fake-browser.ts"
import { agent, Stand } from "../support/engine/stand.ts"

const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))
const never = new AbortController().signal

describe("a start without a place", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test("[H6] waits 250 ms, and fifty wait at a time", async () => {
    const gate = new StartGate({
      live: () => ["run_0"],
      startedAfter: () => [],
      quotas: () => ({ ...DEFAULT_QUOTAS, concurrent_runs: 1, starts_per_minute: 1_000 }),
      full: () => undefined,
      meet: () => false,
      now: () => 1_000_000,
      pause: async () => undefined,
    })
    const refused: number[] = []
    for (let n = 1; n <= 51; n++) void gate.admit(`run_${n}`, "api").then((place) => place.ok || refused.push(n))
    await vi.advanceTimersByTimeAsync(249)
    expect(refused).toEqual([51])
    await vi.advanceTimersByTimeAsync(1)
    expect(refused).toHaveLength(51)
  })
})

test("[J10] a tool whose file changes meanwhile runs three times, and the model is told", async () => {
  const runs = vi.spyOn(write, "execute")
  const flow = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
  const s = new Stand(flow, [agent("w", "tools: [write]\n")])
  s.start()
  const asked = await s.next("a")
  let hash = 0
  const stat = vi.spyOn(s.journal, "stat").mockImplementation((path): FileEntry => ({ path, hash: `h${hash++}`, size: 1, modified: 1 }))
  await asked.answer({ calls: [{ name: "write", args: { path: "f", content: "x" } }] })
  await s.settle()
  stat.mockRestore()
  expect(runs).toHaveBeenCalledTimes(3)
  runs.mockRestore()
  expect(JSON.stringify(s.events().filter((e) => e.type === "tool.returned"))).toContain("another step changed the same file")
})

test("[T25] a picture of a page has 8,000 pixels of height, and its text 2 million characters", async () => {
  const fake = new FakeBrowser()
  fake.after = ({ method }) => {
    if (method === "Page.navigate") fake.event("Page.frameStoppedLoading", { frameId: "target" }, "page")
  }
  const all = new SessionBrowsers(fake, { idle: 60_000, pace: { quiet: 1, most: 20 } })
  const page = all.of("look", 1, addressJudge({ allowedPrivateHosts: [] }))
  await page.navigate("https://e.com/", never)
  const shown = async (height: number) => {
    fake.answers.set("Runtime.evaluate", { result: { type: "object", value: { width: 800, height } } })
    const { notes } = await page.screenshot(true, never)
    const clip = fake.of("Page.captureScreenshot").at(-1)?.["clip"]
    return [clip, notes.some((note) => note.includes("only its first 8000 pixels"))]
  }
  expect(await shown(8_000)).toMatchObject([{ height: 8_000 }, false])
  expect(await shown(8_001)).toMatchObject([{ height: 8_000 }, true])
  await page.content("text", undefined, never)
  expect(fake.of("Runtime.evaluate").some(({ expression }) => String(expression).includes("2000000"))).toBe(true)
})

test("[T20] process.list shows the newest hundred, and counts the others", async () => {
  const processes = async () =>
    many(101, (n) => ({ id: `proc-${String(n).padStart(24, "0")}`, script: "sleep 1", started: n, running: true, stdout: 0, stderr: 0 }))
  const exec: unknown = { processes, tainted: false }
  const list = processTools(false).find(({ name }) => name === "process.list")
  const powers: unknown = { exec: exec as Exec }
  const outcome = await list?.execute("c", {}, never, undefined, powers as ToolPowers)
  const lines =
    outcome?.content
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("")
      .split("\n") ?? []
  expect(lines.slice(0, 2)).toEqual(["[1 older one is not shown]", expect.stringContaining(`proc-${"1".padStart(24, "0")}`)])
  expect(lines).toHaveLength(101)
  expect(outcome?.details).toMatchObject({ total: 101 })
})
