// POST /v1/import: an archive or a set of files in, a report of each out [F73].

import { describe, expect, test } from "vitest"
import { zip } from "../../support/engine/zip-archive.ts"
import { setUp } from "../../support/http/ask.ts"

const AGENT = "---\nname: scout\ndescription: Looks around.\ntools: Read\nmodel: sonnet\n---\n\nLook. ${{task}}\n"
const files = { ".claude/agents/scout.md": AGENT }
const archive = zip([{ name: "repo/.claude/agents/scout.md", body: new TextEncoder().encode(AGENT) }])
const report = (path: string) => ({
  path,
  kind: "agent",
  status: "changed",
  target: "agents/scout.md",
  changes: ["its tools are now read", "model sonnet is now the role @coding"],
  diagnostics: [],
  tokens: 24,
})

describe("import", () => {
  test("[F73] a dry run answers a report and writes nothing", async () => {
    const { ask, acme } = setUp()
    const got = await ask("POST", "/v1/import", { body: { files } })
    expect([got.status, got.body]).toEqual([
      200,
      { written: false, counts: { imported: 0, changed: 1, refused: 0 }, data: [report(".claude/agents/scout.md")] },
    ])
    expect((await ask("POST", "/v1/import?dry=1", { body: { files } })).body).toEqual(got.body)
    expect(acme.catalog.puts).toEqual([])
  })

  test("[F73] write=1 writes an archive, no matter what its content type says", async () => {
    for (const type of ["application/zip", "application/octet-stream"]) {
      const { ask, acme } = setUp()
      const got = await ask("POST", "/v1/import?write=1", { body: archive, headers: { "content-type": type } })
      expect([got.status, got.body["written"], got.body["data"]]).toEqual([200, true, [report("repo/.claude/agents/scout.md")]])
      expect(acme.catalog.puts).toEqual([
        {
          kind: "agent",
          path: "agents/scout.md",
          content: '---\nname: scout\ndescription: Looks around.\ntools: read\nmodel: "@coding"\n---\n\nLook. ${{task}}\n',
        },
      ])
    }
  })

  test("[F73] only the chosen files come, of a set as of an archive; a secret and a program's settings never do", async () => {
    const { ask, acme } = setUp()
    const more = {
      ...files,
      ".claude/agents/spy.md": AGENT.replaceAll("scout", "spy"),
      ".claude/settings.json": "{}",
      ".claude/.credentials.json": "{}",
    }
    const all = await ask("POST", "/v1/import", { body: { files: more } })
    const reasons = (all.body["data"] as { path: string; diagnostics: { message: string }[] }[]).flatMap(({ path, diagnostics }) =>
      diagnostics.map(({ message }) => `${path} ${message}`),
    )
    expect(reasons).toEqual([expect.stringContaining("settings.json configures a program"), expect.stringContaining("holds secrets")])
    const only = [".claude/agents/scout.md"]
    const some = await ask("POST", "/v1/import?write=1", { body: { files: more, only } })
    expect(some.body["data"]).toEqual([report(only[0] ?? "")])
    expect(acme.catalog.puts).toHaveLength(1)
    const packed = Buffer.from(archive).toString("base64")
    expect((await ask("POST", "/v1/import", { body: { archive: packed, only: [] } })).body["data"]).toEqual([])
    const again = report("repo/.claude/agents/scout.md")
    expect((await ask("POST", "/v1/import", { body: { archive: packed } })).body["data"]).toEqual([
      { ...again, changes: [...again.changes, "replaces the stored agents/scout.md"], replaces: true },
    ])
    for (const body of [{ archive: packed, files }, {}, { archive: "bm8gemlw" }, { archive: "no base64!" }])
      expect((await ask("POST", "/v1/import", { body })).status, JSON.stringify(body)).toBe(422)
  })

  test("[H3] a damaged archive, a malformed set of files and contradictory parameters are refused with the reason", async () => {
    const { ask, acme } = setUp()
    const zipType = { "content-type": "application/zip" }
    expect(await ask("POST", "/v1/import", { body: archive.subarray(0, 60), headers: zipType })).toMatchObject({
      status: 422,
      text: expect.stringContaining("truncated"),
    })
    expect(await ask("POST", "/v1/import", { body: "no zip", headers: zipType })).toMatchObject({ status: 422 })
    expect(await ask("POST", "/v1/import", { body: { file: {} } })).toMatchObject({ status: 422 })
    expect(await ask("POST", "/v1/import", { body: { files: { a: 1 } } })).toMatchObject({ status: 422 })
    expect(await ask("POST", "/v1/import?write=yes", { body: { files } })).toMatchObject({
      status: 422,
      text: expect.stringContaining("?write"),
    })
    expect(await ask("POST", "/v1/import?write=1&dry=1", { body: { files } })).toMatchObject({ status: 422 })
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`${i}.md`, ""]))
    expect(await ask("POST", "/v1/import", { body: { files: many } })).toMatchObject({
      status: 422,
      text: expect.stringContaining("5,001 files"),
    })
    expect(acme.catalog.puts).toEqual([])
  })

  test("[H3] an archive of 10 MiB is read, one over it is 413, and other bodies keep 1 MiB", async () => {
    const { ask } = setUp()
    const picture = { name: "repo/site/a.png", body: new Uint8Array(10 * 1_048_576 - 1_000), stored: true }
    const whole = zip([{ name: "repo/.claude/agents/scout.md", body: new TextEncoder().encode(AGENT) }, picture])
    const headers = { "content-type": "application/zip" }
    expect(await ask("POST", "/v1/import", { body: whole, headers })).toMatchObject({
      status: 200,
      body: { counts: { changed: 1, refused: 1 } },
    })
    const over = await ask("POST", "/v1/import", { body: new Uint8Array(10 * 1_048_576 + 1), headers })
    expect([over.status, over.text]).toEqual([413, expect.stringContaining("10 MiB")])
    expect((await ask("PUT", "/v1/agents/x", { body: "x".repeat(1_048_577), headers: { "content-type": "text/markdown" } })).status).toBe(
      413,
    )
  })

  test("[F73] ?prefix= names what comes in, and a prefix that no name can have is refused", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/import?prefix=acme-", { body: { files } })).body).toMatchObject({
      data: [{ target: "agents/acme-scout.md" }],
    })
    expect(await ask("POST", "/v1/import?prefix=a/b", { body: { files } })).toMatchObject({
      status: 422,
      text: expect.stringContaining("?prefix"),
    })
  })

  test("[H1] a key that cannot write the catalog cannot import", async () => {
    const { ask, services } = setUp()
    services.key("reader", "acme", ["catalog:read"])
    expect(await ask("POST", "/v1/import", { key: "reader", body: { files } })).toMatchObject({ status: 403 })
  })
})
