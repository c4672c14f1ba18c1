// Files of a start and of a run, as HTTP sees them [F55]: what is refused, and how a file is downloaded.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

async function ready() {
  const all = setUp()
  all.acme.catalog.flow({}, false)
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  const start = (files: unknown) => all.ask("POST", "/v1/flows/f/runs", { body: { files } })
  return { ...all, start }
}

describe("the files of a start", () => {
  test.each<[string, unknown, string]>([
    ["a path out of the workspace", { "../a": "x" }, "/files/..~1a"],
    ["an invisible character", { "a\u200bb": "x" }, "/files/a\u200bb"],
    ["a folder", { "a/": "x" }, "/files/a~1"],
    ["two spellings of one path", { "a/b": "x", "./a//b": "y" }, "/files/.~1a~1~1b"],
    ["a file that is also a folder", { a: "x", "a/b": "y" }, "/files/a"],
    ["bytes that are not base64", { a: { base64: "$$$" } }, "/files/a"],
    ["neither text nor bytes", { a: { type: "text/plain" } }, "/files/a"],
    ["two contents", { a: { text: "x", base64: "eA==" } }, "/files/a"],
    ["a shared file that does not exist", { a: { object: "no/such" } }, "/files/a"],
    ["an unknown member", { a: { text: "x", mime: "y" } }, "/files/a/mime"],
    ["a number", { a: 7 }, "/files/a"],
    ["a list", [], "/files"],
    ["a type that is none", { a: { text: "x", type: "image" } }, "/files/a/type"],
    ["too many", Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`f${i}`, ""])), "/files"],
  ])("[F55] %s are 422 at the place, and nothing starts", async (_name, files, pointer) => {
    const { start, acme } = await ready()
    const r = await start(files)
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer }]])
    expect([...acme.runs.values()].filter((run) => run.starts > 0)).toEqual([])
  })

  test("[F55, H6] files for which there is no room start nothing", async () => {
    const { start, acme } = await ready()
    acme.givenFiles.full = "this would store too much"
    expect([(await start({ a: "x" })).body["code"], (await start({})).status]).toEqual(["storage_full", 202])
  })

  test("[F71] what was stored for a start that is refused, or fails, is left; that of one that begins is not", async () => {
    const { start, acme } = await ready()
    acme.givenFiles.full = "this would store too much"
    await start({ a: "x" })
    expect(acme.givenFiles.left).toBe(1)
    acme.givenFiles.full = undefined
    expect([(await start({ a: "x" })).status, acme.givenFiles.left]).toEqual([202, 1])
    acme.run = () => {
      throw new Error("the object is gone")
    }
    expect([(await start({ a: "x" })).status, acme.givenFiles.left]).toEqual([500, 2])
  })

  test("[F55] a run gets hash, size and type of each file", async () => {
    const { start, acme } = await ready()
    acme.givenFiles.objects.set("k", { body: new Uint8Array(3), contentType: "application/pdf", tainted: true })
    await start({ "a.PNG": { base64: "iVBORw" }, b: { object: "k" }, c: { text: "", untrusted: true, type: "text/csv; header=present" } })
    const [run] = acme.runs.values()
    expect(run?.request?.files).toMatchObject([
      { path: "a.PNG", size: 4, type: "image/png" },
      { path: "b", size: 3, type: "application/pdf", tainted: true },
      { path: "c", size: 0, type: "text/csv", tainted: true },
    ])
  })
})

describe("a file of a run", () => {
  async function withFile(path: string, body: Uint8Array | string) {
    const all = await ready()
    await all.start({})
    const [run] = all.acme.runs.values()
    if (!run) throw new Error("nothing started")
    await run.putFile(path, body)
    const get = (headers: Record<string, string> = {}) => all.ask("GET", `/v1/runs/${run.id}/files/${path}`, { headers })
    return { ...all, run, get }
  }

  test.each<[string, number, string | null, string]>([
    ["bytes=0-3", 206, "bytes 0-3/10", "0123"],
    ["bytes=8-", 206, "bytes 8-9/10", "89"],
    ["bytes=-3", 206, "bytes 7-9/10", "789"],
    ["bytes=4-400", 206, "bytes 4-9/10", "456789"],
    ["bytes=0-0, 2-3", 200, null, "0123456789"],
    ["lines=1-2", 200, null, "0123456789"],
    ["bytes=5-2", 200, null, "0123456789"],
  ])("[F55] Range: %s is %i", async (range, status, where, text) => {
    const { get } = await withFile("a.txt", "0123456789")
    const r = await get({ range })
    expect([r.status, r.headers.get("content-range"), r.text]).toEqual([status, where, text])
    expect(r.headers.get("content-length")).toBe(String(text.length))
  })

  test("[F55] a range outside the file is 416 with its length; If-Range of another version answers the whole", async () => {
    const { get } = await withFile("a.txt", "0123456789")
    const outside = await get({ range: "bytes=10-" })
    expect([outside.status, outside.headers.get("content-range")]).toEqual([416, "bytes */10"])
    expect((await get({ range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200)
    const etag = (await get()).headers.get("etag") ?? ""
    expect((await get({ range: "bytes=0-1", "if-range": etag })).status).toBe(206)
  })

  test.each([
    ["pic.png", "image/png"],
    ["doc.pdf", "application/pdf"],
    ["page.html", "text/plain; charset=utf-8"],
    ["pic.svg", "text/plain; charset=utf-8"],
  ])("[F55] %s is a download of type %s that no browser guesses about", async (path, type) => {
    const { get } = await withFile(path, "<b>x</b>")
    const { headers } = await get()
    expect([headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([type, "nosniff"])
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${path}"; filename*=UTF-8''${path}`)
  })

  test.each([
    [{ ok: false, code: "busy", why: 'the step "a" is at work' }, 409, "steps_at_work"],
    [{ ok: false, code: "run_over" }, 409, "run_over"],
    [{ ok: false, code: "too_many" }, 409, "too_many_files"],
    [{ ok: false, code: "invalid", why: "a is a folder" }, 422, "invalid"],
    [{ ok: false, code: "definitions_lost", why: "gone" }, 409, "definitions_lost"],
    [{ ok: false, code: "not_found" }, 404, "not_found"],
  ] as const)("[F55] a put that is refused: %o", async (answer, status, code) => {
    const { ask, run } = await withFile("a.txt", "x")
    run.putAnswer = answer
    const r = await ask("PUT", `/v1/runs/${run.id}/files/b.txt`, { body: "x" })
    expect([r.status, r.body["code"]]).toEqual([status, code])
  })

  test("[F55] a put needs room, and a scope that writes runs", async () => {
    const { ask, run, acme } = await withFile("a.txt", "x")
    acme.givenFiles.full = "this would store too much"
    expect((await ask("PUT", `/v1/runs/${run.id}/files/b.txt`, { body: "x" })).body["code"]).toBe("storage_full")
  })
})
