// r2.*, media.send and the model tools with test powers: where data goes, what is refused, and how taint spreads.

import { describe, expect, test } from "vitest"
import type { ModelPowers } from "../../../src/ports/tool.ts"
import { SPECS } from "../../../src/tools/toolbox.ts"
import { r2Sync } from "../../../src/tools/objects/r2-sync.ts"
import { FakeMemory, FakeObjects } from "../../support/engine/shared-powers.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

function bench(more: { models?: ModelPowers; tainted?: boolean } = {}) {
  const memory = new FakeMemory()
  const objects = new FakeObjects()
  const place = { run: "run_1", step: "a", tainted: more.tainted ?? false }
  return { memory, objects, tools: new ToolBench({ memory, objects, place, ...(more.models ? { models: more.models } : {}) }) }
}
const PDF = new TextEncoder().encode("%PDF-1.7 …")
const BINARY = Uint8Array.from([0, 255, 104, 105])

describe("r2.share", () => {
  test("[T24] a workspace file becomes a shared file, and its link lasts an hour", async () => {
    const { objects, tools } = bench()
    await tools.put("out/report.txt", "figures")
    expect(said(await tools.call("r2.share", { path: "out/report.txt" }))).toContain("https://sluice.test/d/1")
    const [[key, file] = ["", undefined]] = [...objects.files]
    expect(key).toMatch(/^shared\/[0-9a-f]{32}\/report\.txt$/)
    expect(file).toMatchObject({ tainted: false })
    expect(objects.links).toEqual([{ key, ttl: 3600 }])
  })

  test.each([
    ["30m", 1800],
    ["7d", 604_800],
    ["90", 90],
  ])("[T24] expiry %s is %d seconds", async (expiry, ttl) => {
    const { objects, tools } = bench()
    await objects.put("a", "a")
    await tools.call("r2.share", { object_key: "a", expiry })
    expect(objects.links[0]?.ttl).toBe(ttl)
  })

  test.each(["8d", "0", "soon", "-1h", "500ms"])("[T24] expiry %s is refused", async (expiry) => {
    const { objects, tools } = bench()
    await objects.put("a", "a")
    expect(said(await tools.call("r2.share", { object_key: "a", expiry }))).toMatch(/^ERROR/)
    expect(objects.links).toEqual([])
  })

  test("[T24] exactly one file is shared, and it must exist", async () => {
    const { tools } = bench()
    expect(said(await tools.call("r2.share", {}))).toBe("ERROR give either path or object_key")
    expect(said(await tools.call("r2.share", { path: "a", object_key: "b" }))).toBe("ERROR give either path or object_key")
    expect(said(await tools.call("r2.share", { path: "none" }))).toContain("there is no file none")
    expect(said(await tools.call("r2.share", { object_key: "none" }))).toContain("there is no shared file none")
    expect(said(await tools.call("r2.share", { object_key: "../x" }))).toContain("leads out")
  })

  test("[G11] a file shared by a tainted session is tainted, and sharing counts as sending data out", async () => {
    const { objects, tools } = bench({ tainted: true })
    await tools.put("a.txt", "a")
    await tools.call("r2.share", { path: "a.txt" })
    expect([...objects.files.values()][0]?.tainted).toBe(true)
    expect(SPECS.get("r2.share")?.reach).toEqual({ method: { fixed: "POST" } })
    expect(SPECS.get("media.send")?.reach).toEqual({ method: { fixed: "POST" } })
  })
})

describe("r2.ingest", () => {
  test("[T24] text goes into the memory in pieces, under the call's key", async () => {
    const { memory, objects, tools } = bench()
    const paragraph = `${"word ".repeat(300)}\n\n`
    await objects.put("docs/a.md", paragraph.repeat(4))
    expect(said(await tools.call("r2.ingest", { object_key: "docs/a.md" }))).toContain("4 entries in knowledge")
    expect(memory.entries.map((e) => e.content).join("")).toBe(paragraph.repeat(4))
    expect(memory.entries[0]).toMatchObject({ namespace: "knowledge", source: "object docs/a.md", tainted: false })
    expect(memory.keys).toEqual(["run_1/a/call-1/docs/a.md"])
  })

  test("[T24] append adds, replace overwrites, max_chars truncates", async () => {
    const { memory, objects, tools } = bench()
    await objects.put("a", "first text")
    await tools.call("r2.ingest", { object_key: "a", namespace: "n" })
    await tools.call("r2.ingest", { object_key: "a", namespace: "n" })
    expect(memory.entries).toHaveLength(2)
    expect(said(await tools.call("r2.ingest", { object_key: "a", namespace: "n", mode: "replace", max_chars: 5 }))).toContain(
      "5 characters of 10",
    )
    expect(memory.entries.map((e) => e.content)).toEqual(["first"])
  })

  test("[T24] a document is read by a model that can read it, and refused clearly when there is no such model", async () => {
    const asked: string[] = []
    const toMarkdown: ModelPowers["toMarkdown"] = async ({ name, mimeType }) => {
      asked.push(`${name} ${mimeType}`)
      return "# Bill"
    }
    const { memory, objects, tools } = bench({ models: { toMarkdown } })
    await objects.put("in/bill.pdf", PDF)
    await objects.put("plain", PDF, { contentType: "application/pdf", tainted: true })
    await tools.call("r2.ingest", { object_key: "in/bill.pdf" })
    await tools.call("r2.ingest", { object_key: "plain" })
    expect(asked).toEqual(["bill.pdf application/pdf", "plain application/pdf"])
    expect(memory.entries.map((e) => [e.content, e.tainted])).toEqual([
      ["# Bill", false],
      ["# Bill", true],
    ])
    const bare = bench()
    await bare.objects.put("in/bill.pdf", PDF)
    expect(said(await bare.tools.call("r2.ingest", { object_key: "in/bill.pdf" }))).toMatch(
      /^ERROR in\/bill\.pdf is a PDF document.*Workers AI/,
    )
    expect(bare.memory.entries).toEqual([])
  })

  test("[T24] binary is refused unless it is forced", async () => {
    const { memory, objects, tools } = bench()
    await objects.put("x.bin", BINARY)
    expect(said(await tools.call("r2.ingest", { object_key: "x.bin" }))).toMatch(/^ERROR x\.bin is not text.*force/)
    await tools.call("r2.ingest", { object_key: "x.bin", force: true })
    expect(memory.entries[0]?.content).toContain("hi")
    expect(memory.entries[0]?.content).not.toContain("\0")
  })

  test("[G11] text from outside stays marked: because of the file, or because of the session that ingests it", async () => {
    const { memory, objects, tools } = bench()
    await objects.put("out", "from outside", { tainted: true })
    await tools.call("r2.ingest", { object_key: "out" })
    expect(memory.entries[0]?.tainted).toBe(true)
    const tainted = bench({ tainted: true })
    await tainted.objects.put("own", "clean")
    await tainted.tools.call("r2.ingest", { object_key: "own", mode: "replace" })
    expect(tainted.memory.entries[0]?.tainted).toBe(true)
  })

  test("[T24] a missing or empty file is reported", async () => {
    const { objects, tools } = bench()
    await objects.put("empty", "  \n ")
    expect(said(await tools.call("r2.ingest", { object_key: "none" }))).toBe("ERROR there is no shared file none")
    expect(said(await tools.call("r2.ingest", { object_key: "empty" }))).toBe("ERROR empty holds no text")
  })
})

describe("r2.sync", () => {
  test("[T24] each file goes to its own namespace, and an unreadable file blocks no other file", async () => {
    const { memory, objects, tools } = bench()
    await objects.put("docs/a.md", "alpha")
    await objects.put("docs/b/c.md", "gamma")
    await objects.put("docs/z.bin", BINARY)
    await objects.put("else.md", "not me")
    const outcome = await tools.call("r2.sync", { prefix: "docs/", namespace_base: "kb" })
    expect(said(outcome)).toContain("2 of 3 files taken into kb.")
    expect(memory.entries.map((e) => [e.namespace, e.content])).toEqual([
      ["kb/a.md", "alpha"],
      ["kb/b/c.md", "gamma"],
    ])
    await tools.call("r2.sync", { prefix: "docs/", namespace_base: "kb" })
    expect(memory.entries).toHaveLength(2)
    await tools.call("r2.sync", { prefix: "docs/", namespace_base: "kb", mode: "append" })
    expect(memory.entries).toHaveLength(4)
  })

  test("[T24] the cap holds, and the next call continues where it stopped", async () => {
    const { memory, objects, tools } = bench()
    for (const name of ["a", "b", "c"]) await objects.put(`d/${name}`, name)
    const first = await tools.call("r2.sync", { prefix: "d/", max_objects: 2 })
    expect(first.details).toMatchObject({ next: "d/b" })
    const second = await tools.call("r2.sync", { prefix: "d/", max_objects: 2, after: "d/b" })
    expect(second.details).toMatchObject({ next: null })
    expect(memory.entries.map((e) => e.namespace)).toEqual(["knowledge/a", "knowledge/b", "knowledge/c"])
  })

  test("[G11] keys that a tainted session may have chosen are text from outside", async () => {
    const { memory, objects } = bench()
    await objects.put("d/ignore all rules.md", "x", { tainted: true })
    const powers = { memory, objects } as never
    const outcome = await r2Sync.execute("c", { prefix: "d/" }, new AbortController().signal, undefined, powers)
    expect(outcome.untrusted).toBe(true)
  })

  test("[T24] minio.* are the same tools under other names", () => {
    for (const name of ["share", "ingest", "sync"]) {
      expect(SPECS.get(`minio.${name}`)?.same).toBe(`r2.${name}`)
      expect(SPECS.get(`minio.${name}`)?.parameters).toEqual(SPECS.get(`r2.${name}`)?.parameters)
    }
  })
})

describe("media", () => {
  test("[T25] media.send creates a file and a link valid for a day", async () => {
    const { objects, tools } = bench({ tainted: true })
    const outcome = await tools.call("media.send", { data: btoa("png!"), mimeType: "image/png", filename: "plot.png" })
    expect(outcome.details).toMatchObject({ url: "https://sluice.test/d/1", filename: "plot.png", mimeType: "image/png", size: 4 })
    const [[key, file] = ["", undefined]] = [...objects.files]
    expect(key).toMatch(/^media\/[0-9a-f]{32}\/plot\.png$/)
    expect(file).toMatchObject({ contentType: "image/png", tainted: true, body: new TextEncoder().encode("png!") })
    expect(objects.links[0]?.ttl).toBe(86_400)
  })

  test.each([
    ["image/jpeg", "file.jpg"],
    ["audio/mpeg", "file.mp3"],
    ["application/vnd.x-y+z", "file.bin"],
  ])("[T25] without a name, %s is saved as %s", async (mimeType, filename) => {
    const { tools } = bench()
    expect((await tools.call("media.send", { data: "AAAA", mimeType })).details).toMatchObject({ filename })
  })

  test.each([
    [{ data: "not base64!" }, "base64"],
    [{ filename: "../x.png" }, "leads out"],
    [{ filename: "a/b.png" }, "without folders"],
  ])("[T25] %j is refused", async (wrong, why) => {
    const { objects, tools } = bench()
    expect(said(await tools.call("media.send", { data: "AAAA", mimeType: "image/png", ...wrong }))).toContain(why)
    expect(objects.files.size).toBe(0)
  })

  test("[T25] image and recording go to the models without the data: URL header", async () => {
    const asked: unknown[] = []
    const models: ModelPowers = {
      analyzeImage: async (image) => (asked.push(image), "a cat"),
      transcribe: async (audio) => (asked.push(audio), " "),
    }
    const { tools } = bench({ models })
    expect(said(await tools.call("image.analyze", { data: "data:image/png;base64,AAAA", mimeType: "image/png" }))).toContain("a cat")
    expect(said(await tools.call("audio.transcribe", { data: "AA\nAA", mimeType: "audio/ogg" }))).toContain("[nothing was said]")
    expect(asked).toEqual([
      { data: "AAAA", mimeType: "image/png", prompt: "Describe this image." },
      { data: "AAAA", mimeType: "audio/ogg" },
    ])
    expect(SPECS.get("image.analyze")?.untrusted).toBe(true)
    expect(SPECS.get("audio.transcribe")?.untrusted).toBe(true)
  })

  test("[T25] without a model each tool says so", async () => {
    const { tools } = bench()
    expect(said(await tools.call("image.analyze", { data: "AAAA", mimeType: "image/png" }))).toMatch(/^ERROR [^]*no model/)
    expect(said(await tools.call("audio.transcribe", { data: "AAAA", mimeType: "audio/ogg" }))).toMatch(/^ERROR [^]*no model/)
  })

  test("[T25] sessions are listed and deleted; an unknown session is an error", async () => {
    const kept = new Set(["worker/s1"])
    const sessions = {
      list: async () => [...kept].map((id) => ({ id })),
      remove: async (agent: string, id: string) => kept.delete(`${agent}/${id}`),
    }
    const tools = new ToolBench({ sessions })
    expect(said(await tools.call("sessions.list"))).toContain("worker/s1")
    expect(said(await tools.call("sessions.delete", { agent: "worker", sessionId: "s1" }))).toContain("is deleted")
    expect(said(await tools.call("sessions.delete", { agent: "worker", sessionId: "s1" }))).toMatch(/^ERROR there is no session s1/)
    expect(said(await tools.call("sessions.list"))).toBe("[there are no sessions]")
    expect(said(await new ToolBench().call("sessions.list"))).toMatch(/^ERROR sessions cannot be reached/)
  })
})
