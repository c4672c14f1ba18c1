// Drafts of the catalog [F80]: what a start that names one gets, how long it stays, and that nothing else meets it.

import { describe, expect, test } from "vitest"
import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import type { DraftHead, DraftStore, StoredDraft } from "../../../src/engine/catalog/catalog-entry.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import type { ApplyWish } from "../../../src/ports/tenant/authoring/apply.ts"
import { DRAFT_KEPT_MS, MAX_DRAFTS } from "../../../src/ports/tenant/authoring/drafts.ts"
import { agent, BUILTINS, flow, FragileBlobs, MemoryRows, step, TOOLS } from "../../support/engine/memory-catalog.ts"

class MemoryDrafts implements DraftStore {
  readonly rows = new Map<string, StoredDraft>()
  at = 1_000
  now(): number {
    return this.at
  }
  drafts(): readonly DraftHead[] {
    return [...this.rows.values()].map(({ files, ...row }) => ({ ...row, count: files.length }))
  }
  draft(name: string): StoredDraft | undefined {
    return this.rows.get(name)
  }
  saveDraft(draft: StoredDraft): void {
    this.rows.set(draft.name, draft)
  }
  removeDraft(name: string): void {
    this.rows.delete(name)
  }
  expireDrafts(before: number): void {
    for (const [name, { at }] of this.rows) if (at < before) this.rows.delete(name)
  }
}

const settings = { providers: [], roles: {} }
const HOME = { agents: { "a.md": agent("a"), "b.md": agent("b") }, flows: { "one.yaml": flow("one", step("old", "a")) } }

async function world() {
  const rows = new MemoryRows()
  const drafts = new MemoryDrafts()
  const blobs = new FragileBlobs()
  const catalog = new Catalog({ store: rows, drafts, blobs, builtins: BUILTINS, tools: TOOLS, inTurn: inTurn() })
  const applied = await catalog.replace(HOME)
  if (!applied.ok) throw new Error(JSON.stringify(applied))
  const pins = async (draft?: string, id = "one") => {
    const pinned = await catalog.pins.pin({ flow: id, ...(draft === undefined ? {} : { draft }) }, settings, { rehearse: true })
    return pinned.ok ? pinned.pins : pinned
  }
  const put = async (name: string, wish: ApplyWish) => {
    const written = await catalog.drafts.put(name, wish)
    if (!written.ok) throw new Error(JSON.stringify(written))
    return written
  }
  return { rows, drafts, blobs, catalog, pins, put }
}

const merge = (bundle: ApplyWish["bundle"], gone: readonly string[] = []): ApplyWish => ({ mode: "merge", bundle, delete: gone })
const replace = (bundle: ApplyWish["bundle"]): ApplyWish => ({ mode: "replace", bundle })

describe("a draft", () => {
  test("[F80] is what a start that names it gets, and nobody else; the catalog stays at its revision", async () => {
    const { rows, pins, put, catalog } = await world()
    const before = await pins()
    const files = await catalog.files()
    const written = await put(
      "mine",
      merge({ agents: { "a.md": agent("a", undefined, "Anew. ${{task}}\n") }, flows: { "two.yaml": flow("two", step("s", "a")) } }),
    )
    expect(written).toMatchObject({
      revision: 1,
      added: ["flows/two.yaml"],
      changed: ["agents/a.md"],
      removed: [],
      draft: { files: 2, mode: "merge" },
    })
    expect([rows.revision(), await catalog.files(), await pins()]).toEqual([1, files, before])
    const drafted = await pins("mine")
    expect(drafted).toMatchObject({ draft: "mine", revision: 1, flow: (before as { flow: object }).flow })
    expect((drafted as { agents: object }).agents).not.toEqual((before as { agents: object }).agents)
    expect(await pins("mine", "two")).toMatchObject({ flow: { id: "two" } })
    expect(await pins(undefined, "two")).toEqual({ ok: false, code: "not_found" })
  })

  test("[F80] every body that a start pins is stored before the answer", async () => {
    const { blobs, pins, put } = await world()
    await put("mine", replace({ ...HOME, agents: { "a.md": agent("a", undefined, "Other. ${{task}}\n") } }))
    const pinned = await pins("mine")
    if (!("flow" in pinned)) throw new Error("not pinned")
    for (const hash of [pinned.flow.hash, ...Object.values(pinned.agents)]) expect(await blobs.get(hash)).toBeDefined()
  })

  test("[F80] replaces folders or merges files, as an apply does, over the catalog of now", async () => {
    const { catalog, pins, put } = await world()
    await put("whole", replace({ flows: { "two.yaml": flow("two", step("s", "a")) } }))
    await put("part", merge({ flows: { "two.yaml": flow("two", step("s", "a")) } }, ["flows/one.yaml"]))
    await put("also", merge({ flows: { "two.yaml": flow("two", step("s", "a")) } }))
    expect(await Promise.all(["whole", "part", "also"].map(async (name) => "flow" in (await pins(name))))).toEqual([false, false, true])
    await catalog.put("agent", "agents/a.md", agent("a", undefined, "Applied meanwhile. ${{task}}\n"))
    const now = await catalog.read("agent", "a")
    expect(await pins("whole", "two")).toMatchObject({ revision: 2, agents: { a: now?.hash } })
  })

  test("[F80] is written anew as a whole; with an error it stays as it was", async () => {
    const { catalog, pins, put } = await world()
    await put("mine", merge({ flows: { "two.yaml": flow("two", step("s", "a")) } }))
    const bad = await catalog.drafts.put("mine", merge({ flows: { "two.yaml": flow("two", step("s", "nobody")) } }))
    expect(bad).toMatchObject({ ok: false, code: "invalid", diagnostics: { "flows/two.yaml": [{ code: "FV-AGENT" }] } })
    expect(await pins("mine", "two")).toMatchObject({ flow: { id: "two" } })
    await put("mine", merge({ flows: { "three.yaml": flow("three", step("s", "b")) } }))
    expect(await pins("mine", "two")).toEqual({ ok: false, code: "not_found" })
    expect(await pins("mine", "three")).toMatchObject({ flow: { id: "three" } })
  })

  test("[F80] goes when it is removed, and 12 hours after its last writing; its name then says so", async () => {
    const { catalog, drafts, pins, put } = await world()
    const two = merge({ flows: { "two.yaml": flow("two", step("s", "a")) } })
    await put("mine", two)
    await put("old", two)
    expect([catalog.drafts.remove("mine"), catalog.drafts.remove("mine")]).toEqual([true, false])
    expect(await pins("mine", "two")).toMatchObject({ code: "not_found", message: expect.stringContaining('no draft "mine"') })
    drafts.at += DRAFT_KEPT_MS
    expect([catalog.drafts.one("old")?.name, (await pins("old", "two")) !== undefined]).toEqual(["old", true])
    drafts.at += 1
    expect([catalog.drafts.list(), catalog.drafts.one("old"), catalog.drafts.remove("old")]).toEqual([[], undefined, false])
    await put("new", two)
    expect([...drafts.rows.keys()]).toEqual(["new"])
  })

  test("[F80] a tenant has a bounded number of them, and the refusal names them", async () => {
    const { catalog, put } = await world()
    const two = merge({ flows: { "two.yaml": flow("two", step("s", "a")) } })
    for (let i = 0; i < MAX_DRAFTS; i++) await put(`d-${i}`, two)
    expect(await catalog.drafts.put("more", two)).toMatchObject({ ok: false, code: "too_many", names: expect.arrayContaining(["d-0"]) })
    await put("d-3", merge({ flows: { "three.yaml": flow("three", step("s", "b")) } }))
    expect(catalog.drafts.list()).toHaveLength(MAX_DRAFTS)
  })

  test("[F79, F80] with files that configure the tenant needs the rights of their apply", async () => {
    const { catalog } = await world()
    const wish = merge({ settings: { "policy.yaml": "max_timeout: 5m\n" } })
    await expect(catalog.drafts.put("mine", wish, "a key")).rejects.toThrow("scope admin")
    expect(await catalog.drafts.put("mine", wish, { by: "an admin", configures: true })).toMatchObject({
      ok: true,
      draft: { by: "an admin" },
    })
  })

  test("[F80] five sessions, of which the object keeps three in memory, write and start at once, each with its own", async () => {
    const { pins, put } = await world()
    const own = (name: string) => merge({ flows: { "one.yaml": flow("one", step(name, "a")) } })
    const names = ["v", "w", "x", "y", "z"]
    await Promise.all(names.map((name) => put(name, own(name))))
    const hashes = async () => (await Promise.all(names.map((name) => pins(name)))).map((p) => ("flow" in p ? p.flow.hash : ""))
    const first = await hashes()
    expect(new Set(first).size).toBe(5)
    const [again] = await Promise.all([hashes(), put("v", own("other"))])
    const last = await hashes()
    expect([again.slice(1), last.slice(1), last[0] === first[0]]).toEqual([first.slice(1), first.slice(1), false])
  })
})
