// Bounds of what is answered, signed, shown and stored: what fits is whole, and what does not says so.

import { describe, expect, test } from "vitest"
import { r2Objects, type ObjectsEnv } from "../../src/cloudflare/blobs/objects-r2.ts"
import { readToken, signToken } from "../../src/cloudflare/platform/tokens/signed-token.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { editTask } from "../../src/engine/catalog/architect-task.ts"
import { verify } from "../../src/http/hooks/verify.ts"
import { typeText } from "../../src/http/openapi/type-text.ts"
import { formOf } from "../../src/mcp/question-form.ts"
import { matching } from "../../src/models/rehearsed/pattern.ts"
import { rowsShown, shownRow } from "../../src/tools/data/catalog-data.ts"

const SECRET = { VAULT_KEY: "a secret of this instance, long enough" }

describe("signed tokens and deliveries", () => {
  test("[H1] a token of more than 4,096 characters is not valid, however well it is signed", async () => {
    const valid = async (chars: number) => {
      const token = await signToken(SECRET, "p", { a: "x".repeat(chars) }, 10)
      return [token.length > 4_096, (await readToken(SECRET, "p", token, 0)) !== undefined]
    }
    expect(await valid(2_900)).toEqual([false, true])
    expect(await valid(3_100)).toEqual([true, false])
  })

  test("[W2] of a delivery's signatures the first eight are tried", async () => {
    const body = new TextEncoder().encode("{}")
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("hook secret"), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ])
    const right = Buffer.from(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`msg_1.100.{}`))).toString("base64")
    const wrong = Buffer.alloc(32).toString("base64")
    const proven = async (before: number) => {
      const headers: Record<string, string> = {
        "webhook-id": "msg_1",
        "webhook-timestamp": "100",
        "webhook-signature": [...Array.from({ length: before }, () => `v1,${wrong}`), `v1,${right}`].join(" "),
      }
      const secrets = [`whsec_${Buffer.from("hook secret").toString("base64")}`]
      return (await verify({ hook: { kind: "standard" }, secrets, body, now: 100_000, header: (name) => headers[name] ?? null })).ok
    }
    expect([await proven(0), await proven(7), await proven(8)]).toEqual([true, true, false])
  })
})

describe("shared files", () => {
  const objects = r2Objects(bucketWith(26_214_401), "acme", "https://a.example")

  test("[T24] a file of more than 25 MiB is neither written nor read", async () => {
    const put = objects.put("a.bin", new Uint8Array(26_214_401), { tainted: false })
    await expect(put).rejects.toThrow("a.bin has 26214401 bytes; the limit is 26214400")
    await expect(objects.get("a.bin")).rejects.toThrow("a.bin has 26214401 bytes; the limit for one read is 26214400")
  })

  test("[T24] a link opens for a week at most", async () => {
    const { expires } = await objects.link("a.bin", 10 * 86_400)
    const days = (expires - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)
  })
})

/** A bucket in which every file has this size. */
function bucketWith(size: number): ObjectsEnv {
  const file = { size, body: { cancel: async () => undefined } }
  const env: unknown = { ...SECRET, BLOBS: { get: async () => file } }
  return env as ObjectsEnv
}

describe("what is shown", () => {
  test("[T43] a cell has 2,000 characters, and rows beyond the limit are mentioned", () => {
    expect(shownRow({ cell: "x".repeat(2_000) }, {})).toEqual({ cell: "x".repeat(2_000) })
    expect(shownRow({ cell: "x".repeat(2_001) }, {})).toEqual({ cell: `${"x".repeat(2_000)}… (2001 characters)` })
    const rows = Array.from({ length: 101 }, (_, n) => ({ n }))
    expect(rowsShown(rows, 100, "rows", {}).details).toMatchObject({ rows: 100, more: true })
  })

  test("[F75] an architect's task quotes 200,000 characters; a text that does not fit is named", () => {
    const file = (name: string, chars: number) => ({ path: `agents/${name}.md`, text: "y".repeat(chars) })
    const task = editTask("wish", { id: "f", path: "flows/f.yaml", text: "z".repeat(150_000) }, [file("a", 60_000)])
    expect(task).toContain("z".repeat(150_000))
    expect(task).toContain("(agents/a.md is too long to show here.)")
    expect(task.length).toBeLessThan(202_000)
  })

  test("[H11] a type on the document's page has six levels", () => {
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { type: "string", format: "date-time" } : { type: "object", properties: { a: nested(levels - 1) } }
    expect([6, 7].map((levels) => typeText(nested(levels)).includes("time"))).toEqual([true, false])
  })

  test("[Q3] a form over MCP has 20,000 characters: a person must see all of it", () => {
    const asked = (chars: number) =>
      formOf({
        id: "int_1",
        run: "run_1",
        kind: "ask_user",
        status: "pending",
        step: "a",
        payload: { type: "text", question: "x".repeat(chars) },
        schema: { oneOf: [{ type: "object", properties: { answer: { type: "string" } }, required: ["answer"] }] },
        created: "2026-01-01T00:00:00.000Z",
      })
    expect([19_000, 20_001].map((chars) => asked(chars) !== undefined)).toEqual([true, false])
  })

  test("[M3] a rehearsed text repeats a part 4,096 times at most", () => {
    expect(matching("^a+$", 4_096)?.length).toBe(4_096)
    expect(matching("^a+$", 4_097)).toBeUndefined()
  })
})
