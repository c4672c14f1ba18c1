// Definitions over HTTPS: raw text in and out, the seed's shapes, whole bundles [F2] [F70] [F71] [F73].

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const error = { code: "FV-NAME", line: 4, column: 2, severity: "error", message: "bad", suggestion: "good" } as const
const warning = { code: "FV-ID-DOT", line: 1, severity: "warning", message: "meh" } as const

describe("one definition", () => {
  test.each([
    ["/v1/flows/f", "flow", "flows/f.yaml", "application/yaml"],
    ["/v1/flows/legal:nda", "flow", "flows/legal/nda.yaml", "application/yaml"],
    ["/v1/flows/legal%3Anda", "flow", "flows/legal/nda.yaml", "application/yaml"],
    ["/v1/flows/legal:nda/rehearsal", "rehearsal", "flows/legal/nda.rehearsal.yaml", "application/yaml"],
    ["/v1/agents/a", "agent", "agents/a.md", "text/markdown"],
    ["/v1/skills/s/SKILL.md", "skill", "skills/s/SKILL.md", "text/markdown"],
    ["/v1/skills/s/ref/api.txt", "skill", "skills/s/ref/api.txt", "text/plain"],
    ["/v1/code/legal:nda/check", "code", "code/legal/nda/check.ts", "text/typescript"],
  ])("[F70] %s is written, read and removed as %s %s", async (url, kind, path, type) => {
    const { ask, acme } = setUp()
    const put = await ask("PUT", url, { body: "text: ü\n" })
    expect([put.status, put.body]).toEqual([200, { written: true, path, diagnostics: [] }])
    expect(acme.catalog.puts).toEqual([{ kind, path, content: "text: ü\n" }])
    const got = await ask("GET", url)
    expect([got.status, got.text, got.headers.get("content-type")]).toEqual([200, "text: ü\n", `${type}; charset=utf-8`])
    expect(got.headers.get("etag")).toBe(put.headers.get("etag"))
    expect((await ask("DELETE", url)).status).toBe(204)
    expect((await ask("GET", url)).status).toBe(404)
    expect((await ask("DELETE", url)).status).toBe(404)
  })

  test("[F70] Accept: application/json adds the path, hash and diagnostics to the text", async () => {
    const { ask, acme } = setUp()
    await ask("PUT", "/v1/agents/a", { body: "x" })
    const hash = acme.catalog.stored.get("agent a")?.hash
    const r = await ask("GET", "/v1/agents/a", { headers: { accept: "application/json" } })
    expect(r.body).toEqual({ id: "a", path: "agents/a.md", tier: "local", hash, content: "x", diagnostics: [] })
    expect((await ask("GET", "/v1/agents/a", { headers: { accept: "*/*" } })).text).toBe("x")
    expect((await ask("GET", "/v1/agents/a", { headers: { "if-none-match": `"${hash}"` } })).status).toBe(304)
  })

  test("[F24] a handler is TypeScript unless its content type says JavaScript, and keeps its path when it is overwritten", async () => {
    const { ask } = setUp()
    const js = { "content-type": "text/javascript" }
    expect((await ask("PUT", "/v1/code/f/step", { body: "1", headers: js })).body["path"]).toBe("code/f/step.js")
    expect((await ask("PUT", "/v1/code/f/step", { body: "2" })).body["path"]).toBe("code/f/step.js")
    expect((await ask("GET", "/v1/code/f/step")).headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect((await ask("PUT", "/v1/code/f%20g/step", { body: "1" })).status).toBe(422)
  })

  test("[F72] ?revision=N is the file as it was; a revision that does not exist or lacks the file is 404", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/flows/f", { body: "text" })
    expect((await ask("GET", "/v1/flows/f?revision=3")).text).toBe("text")
    expect((await ask("GET", "/v1/flows/f?revision=0")).status).toBe(404)
    expect((await ask("GET", "/v1/flows/f?revision=99")).status).toBe(404)
    expect((await ask("GET", "/v1/flows/f?revision=x")).body["errors"]).toMatchObject([{ pointer: "?revision" }])
    expect((await ask("GET", "/v1/flows/none?revision=x")).status).toBe(404)
  })

  test("[F5] a flow in its own folder is overwritten at its path", async () => {
    const { ask, acme } = setUp()
    await acme.catalog.put("flow", "flows/legal/nda/flow.yaml", "old")
    expect((await ask("PUT", "/v1/flows/legal:nda", { body: "new" })).body["path"]).toBe("flows/legal/nda/flow.yaml")
  })

  test.each([
    "text/plain",
    "text/markdown; charset=utf-8",
    "application/yaml",
    "application/x-yaml",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "",
  ])("[F70] the content type %j is text", async (type) => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/agents/a", { body: "x", headers: { "content-type": type } })).status).toBe(200)
  })

  test("[H3] JSON, forms and bytes that are not text are refused", async () => {
    const { ask, acme } = setUp()
    for (const type of ["application/json", "multipart/form-data", "image/png"]) {
      expect((await ask("PUT", "/v1/agents/a", { body: "x", headers: { "content-type": type } })).status, type).toBe(415)
    }
    expect((await ask("PUT", "/v1/agents/a", { body: new Uint8Array([0xff, 0xfe]) })).status).toBe(400)
    expect(acme.catalog.puts).toEqual([])
  })

  test("[F71] a refused write is a 422 problem that also has the seed's members", async () => {
    const { ask, acme } = setUp()
    acme.catalog.writeResult = { written: false, path: "agents/a.md", diagnostics: [warning, error] }
    const r = await ask("PUT", "/v1/agents/a", { body: "x" })
    expect([r.status, r.headers.get("content-type")]).toEqual([422, "application/problem+json"])
    expect(r.body).toMatchObject({ code: "not_written", written: false, path: "agents/a.md", diagnostics: [warning, error] })
    expect(r.body["errors"]).toEqual([{ pointer: "", line: 4, column: 2, message: "bad", suggestion: "good" }])
    acme.catalog.writeResult = { written: false, path: "agents/a.md", diagnostics: [], error: "disk full" }
    expect((await ask("PUT", "/v1/agents/a", { body: "x" })).body).toMatchObject({ detail: "disk full", error: "disk full" })
  })

  test("[F71] a write reports its warnings", async () => {
    const { ask, acme } = setUp()
    acme.catalog.writeResult = { written: true, path: "agents/a.md", diagnostics: [warning], hash: "ab" }
    const r = await ask("PUT", "/v1/agents/a", { body: "x" })
    expect([r.body, r.headers.get("etag")]).toEqual([{ written: true, path: "agents/a.md", diagnostics: [warning] }, '"ab"'])
  })

  test("[H3] a malformed flow id is refused with an explanation", async () => {
    const { ask, acme } = setUp()
    for (const id of ["my%20flow", "a%2Fb", "a..b", ":a"]) {
      const r = await ask("PUT", `/v1/flows/${id}`, { body: "x" })
      expect([r.status, r.body["code"]], id).toEqual([422, "invalid"])
      expect((await ask("PUT", `/v1/flows/${id}/rehearsal`, { body: "x" })).status).toBe(422)
    }
    expect(acme.catalog.puts).toEqual([])
  })
})

describe("If-Match", () => {
  test("[F73] a current hash allows the write; a stale hash is 412 with the current hash", async () => {
    const { ask, acme } = setUp()
    const first = (await ask("PUT", "/v1/agents/a", { body: "1" })).headers.get("etag") ?? ""
    const second = await ask("PUT", "/v1/agents/a", { body: "2", headers: { "if-match": first } })
    expect(second.status).toBe(200)
    const third = await ask("PUT", "/v1/agents/a", { body: "3", headers: { "if-match": first } })
    expect([third.status, third.body["code"], third.headers.get("etag")]).toEqual([412, "stale", second.headers.get("etag")])
    expect(third.body["current"]).toBe(acme.catalog.stored.get("agent a")?.hash)
    expect((await ask("GET", "/v1/agents/a")).text).toBe("2")
  })

  test("[F73] If-Match fails if no file is stored", async () => {
    const { ask } = setUp()
    const r = await ask("PUT", "/v1/agents/a", { body: "1", headers: { "if-match": '"ab"' } })
    expect([r.status, r.body["current"]]).toEqual([412, null])
  })

  test.each(['"no"', '"r7"', '"x-y"', '""'])("[F73] %s is a tag of no version: 412, as for any other stale one", async (tag) => {
    const { ask } = setUp()
    const first = (await ask("PUT", "/v1/agents/a", { body: "1" })).headers.get("etag")
    for (const method of ["PUT", "DELETE"]) {
      const late = await ask(method, "/v1/agents/a", { ...(method === "PUT" ? { body: "2" } : {}), headers: { "if-match": tag } })
      expect([late.status, late.body["code"], late.headers.get("etag")]).toEqual([412, "stale", first])
    }
    expect((await ask("GET", "/v1/agents/a")).text).toBe("1")
  })

  test.each([{ "if-match": '"a", "b"' }, { "if-match": 'W/"ab"' }, { "if-none-match": "*" }])(
    "[F73] %j cannot be checked, so it is refused",
    async (headers) => {
      const { ask, acme } = setUp()
      expect((await ask("PUT", "/v1/agents/a", { body: "1", headers })).status).toBe(422)
      expect(acme.catalog.puts).toEqual([])
    },
  )

  test("[F73] * matches any stored file, and fails if no file is stored", async () => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/agents/a", { body: "1", headers: { "if-match": "*" } })).status).toBe(412)
    await ask("PUT", "/v1/agents/a", { body: "1" })
    expect((await ask("PUT", "/v1/agents/a", { body: "2", headers: { "if-match": "*" } })).status).toBe(200)
  })

  test.each(["/v1/agents/a", "/v1/flows/f", "/v1/flows/f/rehearsal", "/v1/skills/s/SKILL.md", "/v1/code/f/step"])(
    "[F73] a stale If-Match removes nothing: %s",
    async (url) => {
      const { ask, acme } = setUp()
      const etag = (await ask("PUT", url, { body: "1" })).headers.get("etag") ?? ""
      const late = await ask("DELETE", url, { headers: { "if-match": '"ab"' } })
      expect([late.status, late.headers.get("etag"), `"${String(late.body["current"])}"`]).toEqual([412, etag, etag])
      expect((await ask("DELETE", url, { headers: { "if-match": "no tag" } })).status).toBe(422)
      expect(acme.catalog.stored.size).toBe(1)
      expect((await ask("DELETE", url, { headers: { "if-match": etag } })).status).toBe(204)
      expect((await ask("DELETE", url, { headers: { "if-match": etag } })).status).toBe(404)
      expect((await ask("DELETE", url, { headers: { "if-match": "no tag" } })).status).toBe(404)
    },
  )
})

describe("the whole catalog", () => {
  test("[F70] lists have the revision, and rows without text", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/agents/a", { body: "1" })
    await ask("PUT", "/v1/flows/f", { body: "2" })
    const ids = async (path: string) => (await ask("GET", path)).body
    expect(await ids("/v1/agents")).toMatchObject({ data: [{ id: "a", kind: "agent", tier: "local" }], next_cursor: null, revision: 7 })
    expect(await ids("/v1/flows")).toMatchObject({ data: [{ id: "f" }] })
    expect(await ids("/v1/skills")).toMatchObject({ data: [] })
    expect(await ids("/v1/catalog")).toMatchObject({ data: [{ id: "a" }, { id: "f" }], revision: 7 })
    expect(JSON.stringify(await ids("/v1/catalog"))).not.toContain("content")
  })

  test("[F71] a bundle replaces files; an empty kind removes its files, an absent kind keeps them", async () => {
    const { ask, acme } = setUp()
    const bundle = { agents: { "a.md": "x" }, flows: {}, code: {} }
    const r = await ask("PUT", "/v1/catalog", { body: bundle })
    expect([r.status, r.body, acme.catalog.bundles]).toMatchObject([200, { revision: 2, diagnostics: {} }, [bundle]])
  })

  test.each([{}, { agent: {} }, { agents: { "a.md": 5 } }, { agents: [] }, { code: { "f/step.ts": null } }])(
    "[F71] %j is not a bundle: 422, and nothing changes",
    async (body) => {
      const { ask, acme } = setUp()
      expect((await ask("PUT", "/v1/catalog", { body })).status).toBe(422)
      expect(acme.catalog.bundles).toEqual([])
    },
  )

  test("[F71] a bundle with an error is 422 with the diagnostics of each file", async () => {
    const { ask, acme } = setUp()
    const diagnostics = { "flows/f.yaml": [error], "skills/s/SKILL.md": [warning, error], "agents/a.md": [warning] }
    acme.catalog.bundleResult = { ok: false, diagnostics }
    const r = await ask("PUT", "/v1/catalog", { body: { flows: { "f.yaml": "x" } } })
    expect([r.status, r.body["diagnostics"]]).toEqual([422, diagnostics])
    expect(r.body["errors"]).toMatchObject([
      { pointer: "/flows/f.yaml", line: 4 },
      { pointer: "/skills/s~1SKILL.md", line: 4 },
    ])
  })
})

describe("validate", () => {
  test("[F2] an invalid file is a 200 that says so, with every fault", async () => {
    const { ask, acme } = setUp()
    acme.catalog.diagnostics = [error, warning]
    const r = await ask("POST", "/v1/validate", { body: { kind: "flow", content: "x", path: "flows/f.yaml" } })
    expect([r.status, r.body]).toEqual([200, { valid: false, diagnostics: [warning, error] }])
    acme.catalog.diagnostics = [warning]
    expect((await ask("POST", "/v1/validate", { body: { kind: "agent", content: "" } })).body["valid"]).toBe(true)
  })

  test("[F2] a flow whose text loads comes with its graph, whatever else is wrong with it", async () => {
    const { ask, acme } = setUp()
    acme.catalog.diagnostics = [error]
    const content =
      "name: f\ndescription: d\ninputs: { who: { type: string, required: true } }\nsteps:\n  - { id: a, type: agent, agent: nobody }\n  - { id: b, type: agent, agent: nobody, blockedBy: a }\n"
    const { body } = await ask("POST", "/v1/validate", { body: { kind: "flow", content } })
    expect(body).toMatchObject({
      valid: false,
      graph: {
        nodes: [{ id: "a" }, { id: "b" }],
        edges: [{ from: "a", to: "b" }],
        start: { inputs: { who: { type: "string", required: true } } },
      },
    })
    expect((await ask("POST", "/v1/validate", { body: { kind: "rehearsal", content } })).body).not.toHaveProperty("graph")
  })

  test.each([
    {},
    { kind: "flow" },
    { kind: "package", content: "" },
    { kind: "flow", content: 5 },
    { kind: "flow", content: "", paht: "x" },
  ])("[H3] %j is 422", async (body) => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/validate", { body })).status).toBe(422)
  })

  test("[H3] a mistyped kind gets a suggestion", async () => {
    const { ask } = setUp()
    const r = await ask("POST", "/v1/validate", { body: { kind: "flows", content: "" } })
    expect(r.body["errors"]).toEqual([
      {
        pointer: "/kind",
        message:
          "must be one of flow, agent, skill, rehearsal, test, code, scorer, scorer-code, dataset, hook, schedule, callback, tool, provider, setting",
        suggestion: 'did you mean "flow"?',
      },
    ])
  })
})
