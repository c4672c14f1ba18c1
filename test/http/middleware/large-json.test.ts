// Large bodies of JSON: read in pieces of bounded work [N4], with what the platform's parser would say; what is too much is refused by count.

import { describe, expect, test } from "vitest"
import { surface, surfacePieces } from "../../../src/http/middleware/body.ts"
import { hookBody } from "../../../src/http/hooks/hook-body.ts"
import { setUp } from "../../support/http/ask.ts"
import { worked } from "../../support/worked.ts"

/** A stretch of computing is about 1,000,000 (ports/breath.ts); no piece is more than a part of it. */
const MOST_WORK = 400_000
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("a delivery", () => {
  const MANY: Readonly<Record<string, string>> = {
    numbers: `[${Array.from({ length: 400_000 }, () => 1).join(",")}]`,
    members: JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`k${n}`, { n }]))),
    lists: `[${Array.from({ length: 200_000 }, () => "[]").join(",")}]`,
  }
  test.each(Object.entries(MANY))("[N4] of many %s is read in pieces, as a body and as the payload of a form", (_, text) => {
    const read = worked(hookBody(bytes(text), "application/json"))
    expect(read.value).toEqual({ ok: true, value: JSON.parse(text) })
    const form = worked(hookBody(bytes(`payload=${encodeURIComponent(text)}`), "application/x-www-form-urlencoded"))
    expect(form.value).toEqual({ ok: true, value: { payload: JSON.parse(text) } })
    for (const { count, most } of [read, form]) {
      expect(count).toBeGreaterThan(50)
      expect(most).toBeLessThan(MOST_WORK)
    }
  })

  test("[W2] [T32] that is not JSON is refused with its place, and nothing of it is repeated", () => {
    for (const pad of ["", " ".repeat(70_000)]) {
      const { value } = worked(hookBody(bytes(`{"a":\n ${pad}hunter2-is-the-secret}`), "application/json"))
      expect(value).toEqual({ ok: false, error: `the body is declared as JSON but is not JSON (line 2, column ${pad.length + 2})` })
    }
    const deep = `${"[".repeat(65)}${"]".repeat(65)}`
    expect(worked(hookBody(bytes(deep), "application/json")).value).toMatchObject({
      ok: false,
      error: expect.stringContaining("deeper than 64 levels"),
    })
  })
})

test("[N4] values are looked through in pieces, with what is found at one go", () => {
  const value = {
    list: Array.from({ length: 100_000 }, (_, n) => (n === 90_000 ? Infinity : { n })),
    more: JSON.parse('{"__proto__":1}') as unknown,
  }
  const { value: found, most } = worked(surfacePieces(value))
  expect(found).toEqual(surface(value))
  expect(found).toMatchObject({ message: "must not have the key __proto__" })
  expect(most).toBeLessThan(MOST_WORK)
})

describe("a request", () => {
  const start = async (body: string) => {
    const { acme, ask } = setUp()
    acme.catalog.flow()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    return ask("POST", "/v1/flows/f/runs", { body, headers: { "content-type": "application/json" } })
  }

  test("[H3] of more than 64 KiB is refused like a small one, with the place of what is no JSON", async () => {
    const pad = "x".repeat(70_000)
    const wrong = await start(`{"task": "${pad}",\n  oops}`)
    expect([wrong.status, wrong.body["code"]]).toEqual([400, "malformed_json"])
    expect(wrong.body["errors"]).toMatchObject([{ pointer: "", line: 2, column: 3 }])
    const unknown = await start(JSON.stringify({ task: pad, tsak: 1 }))
    expect([unknown.status, unknown.body["errors"]]).toMatchObject([422, [{ pointer: "/tsak" }]])
    const poison = await start(`{"task": "${pad}", "inputs": {"__proto__": 1}}`)
    expect([poison.status, poison.body["errors"]]).toMatchObject([422, [{ message: "must not have the key __proto__" }]])
    const deep = await start(`{"task": "${pad}", "inputs": {"a": ${"[".repeat(70)}${"]".repeat(70)}}}`)
    expect([deep.status, deep.body["errors"]]).toMatchObject([422, [{ message: "is nested deeper than 64 levels" }]])
  })

  test("[N4] of more than 1 MiB with more values than are checked is refused", async () => {
    const { ask } = setUp()
    const send = (body: string) => ask("POST", "/v1/import", { body, headers: { "content-type": "application/json" } })
    const many = await send(`{"files": {}, "tags": [${"1,".repeat(600_000)}1]}`)
    expect([many.status, many.body["errors"]]).toMatchObject([422, [{ pointer: "", message: "has more than 200000 values" }]])
    const few = await send(JSON.stringify({ files: { "a.txt": "x".repeat(1_100_000) }, fils: 1 }))
    expect([few.status, few.body["errors"]]).toMatchObject([422, [{ pointer: "/fils" }]])
  })
})
