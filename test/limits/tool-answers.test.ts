// Bounds of what tools read, compute and answer: beyond each of them the answer says so.

import { DatabaseSync } from "node:sqlite"
import { readFileSync } from "node:fs"
import { afterEach, describe, expect, test, vi } from "vitest"
import { embed, EMBEDDING_MODEL } from "../../src/cloudflare/memory/memory-meaning.ts"
import type { JsonObject } from "../../src/core/json.ts"
import type { Data } from "../../src/ports/data.ts"
import type { Exec } from "../../src/ports/exec.ts"
import type { Tool, ToolPowers } from "../../src/ports/tool.ts"
import type { Workspace } from "../../src/ports/workspace.ts"
import { callAgent } from "../../src/tools/agents/call-agent.ts"
import { subagent } from "../../src/tools/agents/subagent.ts"
import { fileList } from "../../src/tools/files/file-list.ts"
import { executePlan } from "../../src/tools/plans/execute-plan.ts"
import { bringIn } from "../../src/tools/shell/sandbox-files.ts"
import { ShellMeter } from "../../src/tools/shell/shell-meter.ts"
import { webFetch } from "../../src/tools/web/web-fetch.ts"
import { Outside } from "../../src/ports/outside.ts"
import { execute, NO_SKILLS, said, ToolBench } from "../support/engine/tool-bench.ts"

const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))
const never = new AbortController().signal
const powersOf = (workspace: unknown): ToolPowers => ({ workspace: workspace as Workspace, skills: NO_SKILLS })
afterEach(() => void vi.useRealTimers())

describe("the data catalog", () => {
  const schema = readFileSync(new URL("../../migrations/data/0001_catalog.sql", import.meta.url), "utf8")
  function catalog(relations: readonly (readonly [from: string, to: string])[], fields = 0): ToolBench {
    const db = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
    db.exec(schema)
    const add = db.prepare("INSERT INTO catalog_relation (id, source, target, kind, condition) VALUES (?, ?, ?, 'k', '')")
    for (const [n, [from, to]] of relations.entries()) add.run(`r${n}`, from, to)
    const field = db.prepare("INSERT INTO catalog_field (entity, name, position, type) VALUES ('wide', ?, ?, 'TEXT')")
    for (let n = 0; n < fields; n++) field.run(`f${n}`, n)
    const data: Data = { select: async (sql, values) => db.prepare(sql).all(...values) as unknown as JsonObject[] }
    return new ToolBench({ data })
  }
  const paths = async (bench: ToolBench, hops: number) =>
    (await bench.call("get_relation_paths_between", { from: "a", to: "z", max_hops: hops })).details

  test("[T43] ten paths are shown, and the answer says that there are more", async () => {
    const through = (count: number) => catalog(many(count, (n) => [["a", `m${n}`] as const, [`m${n}`, "z"] as const]).flat())
    expect(await paths(through(10), 2)).toEqual({ paths: 10, incomplete: false })
    expect(await paths(through(11), 2)).toEqual({ paths: 10, incomplete: true })
  })

  test("[T43] the walk keeps 2,000 ways open, and says that paths may be missing", async () => {
    const star = (count: number) => catalog(many(count, (n) => ["a", `m${n}`] as const))
    expect(await paths(star(2_000), 2)).toEqual({ paths: 0, incomplete: false })
    expect(await paths(star(2_001), 2)).toEqual({ paths: 0, incomplete: true })
  })

  test("[T43] 500 fields of an entity are listed", async () => {
    const listed = async (fields: number) => (await catalog([], fields).call("list_schema_fields", { entity: "wide" })).details
    expect(await listed(500)).toMatchObject({ fields: 500 })
    expect(await listed(501)).toMatchObject({ fields: 500, more: true })
  })
})

describe("files and commands", () => {
  test("[T20] file.list names 5,000 files and counts the others", async () => {
    const list = async () => many(5_002, (n) => ({ path: `d/${n}.txt`, hash: "h", size: 0, modified: 1 }))
    const workspace: unknown = { survey: list, named: () => {} }
    const { content, details } = await fileList.execute("c", { recursive: true }, never, undefined, powersOf(workspace))
    expect(details).toMatchObject({ total: 5_002 })
    expect(JSON.stringify(content)).toContain("d/4999.txt\\n[and 2 more files; list a folder of them]")
  })

  test("[T20] one search reads 32 MiB", async () => {
    const body = new Uint8Array(9 * 1024 * 1024).fill(0x78)
    const bench = await ToolBench.holding(Object.fromEntries(many(4, (n) => [`${n}.txt`, body])))
    expect(said(await bench.call("grep", { pattern: "nothing" }))).toContain("[1 files not searched: more than 32 MiB in all")
  })

  test("[T20] a pattern has 400,000 steps for a line, and 5 million for a call", async () => {
    // Each place of such a line has a set of states of its own.
    const line = (chars: number, seed = 1): string => many(chars, () => ((seed = (seed * 48_271) % 2_147_483_647) & 1 ? "a" : "b")).join("")
    const found = async (lines: readonly string[]) =>
      said(await (await ToolBench.holding({ "a.txt": lines.join("\n") })).call("grep", { pattern: "[ab]*a[ab]{200}c" }))
    expect(await found([line(1_000)])).toMatch(/^no line/)
    expect(await found([line(8_000)])).toMatch(/^ERROR the pattern is too costly/)
    expect(await found(many(10, (n) => line(1_000, n + 1)))).toMatch(/^no line/)
    expect(await found(many(80, (n) => line(1_000, n + 1)))).toMatch(/^ERROR the pattern is too costly/)
  })

  test("[T20] the details of a command have 12,000 characters of each stream, from its end", async () => {
    const { details } = await new ToolBench().call("bash", { command: "seq 1 9000; seq 1 9000 >&2" })
    const { stdout, stderr } = details as { stdout: string; stderr: string }
    for (const stream of [stdout, stderr]) expect([stream.length, stream.endsWith("9000\n")]).toEqual([12_001, true])
  })

  test("[T20] a command line has two billion steps", async () => {
    vi.useFakeTimers()
    const meter = new ShellMeter(never)
    const rest = async (left: number) => {
      const done = meter.rest(left).then(
        () => "",
        (e: Error) => e.message,
      )
      await vi.advanceTimersByTimeAsync(100)
      return done
    }
    const given = Number(await new ShellMeter(never).rest(0))
    expect(await rest(0)).toBe("")
    expect(await rest(given - 2_000_000_000)).toBe("")
    expect(await rest(given - 1)).toMatch(/^the command line computes more than one call may/)
  })

  test("[T20] a sandbox takes 128 MiB, and no more goes into it", async () => {
    const put = vi.fn(async () => undefined)
    const exec: unknown = { list: async () => ({ files: new Map(), base: new Map(), tooLarge: [], tooMany: false }), put, taint: () => {} }
    const of = (size: number): unknown => ({ list: async () => [{ path: "a", hash: "h", size, modified: 1 }], refusal: () => undefined })
    await bringIn(exec as Exec, of(134_217_728) as Workspace)
    expect(put).toHaveBeenCalledTimes(1)
    await expect(bringIn(exec as Exec, of(134_217_729) as Workspace)).rejects.toThrow(/a sandbox takes 2000 files and 134217728 bytes/)
    expect(put).toHaveBeenCalledTimes(1)
  })

  test("[T21] two million characters of a page are read", async () => {
    const fetched = async (chars: number) => {
      const body = new Outside(new TextEncoder().encode(`<p>${"x".repeat(chars - 3)}`))
      const net = { fetch: async () => ({ status: 200, url: "https://e.com/", headers: { "content-type": "text/html" }, body }) }
      const { content } = await webFetch.execute("c", { url: "https://e.com/" }, never, undefined, { ...powersOf({}), net })
      return JSON.stringify(content).includes("the first 2000000 characters of the page were read")
    }
    expect([await fetched(2_000_000), await fetched(2_000_001)]).toEqual([false, true])
  })
})

describe("time", () => {
  const stuck = (tool: Partial<Tool>): Tool => ({
    name: "slow",
    description: "d",
    parameters: { type: "object", properties: { timeout: { type: "integer" } } },
    effect: "none",
    contexts: ["agent"],
    ...tool,
    execute: () => new Promise(() => {}),
  })

  test.each<[string, Partial<Tool>, JsonObject, number]>([
    ["a tool without a timeout of its own", {}, {}, 30_000],
    ["an argument that asks for hours", {}, { timeout: 86_400_000 }, 120_000],
    ["call_agent", callAgent, {}, 604_800_000],
    ["subagent", subagent, {}, 900_000],
    ["execute_plan", executePlan, {}, 120_000],
  ])("[T6] %s ends after its longest time", async (_name, tool, args, ms) => {
    vi.useFakeTimers()
    let answer = ""
    const call = execute(stuck(tool), args, powersOf({})).then((outcome) => (answer = said(outcome)))
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(answer).toBe("")
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await call
    expect(answer).toMatch(new RegExp(`^ERROR .* timed out after ${ms} ms`))
  })

  test("[T23] a text for a vector has 6,000 characters, and its model 10 s", async () => {
    const asked: unknown[] = []
    const answer = { data: [[1, 0]] }
    await embed({ run: async (model, input) => (asked.push([model, input["text"]]), answer) }, ["y".repeat(7_000)])
    expect(asked).toEqual([[EMBEDDING_MODEL, ["y".repeat(6_000)]]])
    vi.useFakeTimers()
    vi.spyOn(console, "warn").mockImplementation(() => {})
    vi.spyOn(console, "log").mockImplementation(() => {})
    const late = embed({ run: () => new Promise(() => {}) }, ["y"])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await late).toBeUndefined()
    vi.restoreAllMocks()
  })
})
