// [T4, H12] Names over MCP: what providers accept, one for each original, and read back.

import { describe, expect, test } from "vitest"
import { flowName, flowsOf, toolName } from "../../src/mcp/tool-names.ts"
import { fc, test as property } from "../support/http/property.ts"

const BUILTINS = new Set(["flow_write", "flow_results"])
const SAFE = /^[a-zA-Z0-9_-]{1,64}$/

const part = fc.stringMatching(/^[ab_]{1,3}[ab_-]{0,3}$/)
const long = fc.stringMatching(/^[a-z_][a-z_-]{0,90}$/)
const id = fc.array(fc.oneof(part, long), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(":"))
const tool = fc.stringMatching(/^[ab](?:[ab_.:/-]|__|flow_){0,8}$/)

describe("names", () => {
  property(
    "[H12] a flow's name is safe, and means this flow alone",
    { runs: 300 },
    [fc.uniqueArray(id, { maxLength: 12 })],
    async (ids) => {
      const names = await Promise.all(ids.map((one) => flowName(one, BUILTINS)))
      for (const name of names) expect(name).toMatch(SAFE)
      expect(new Set(names).size).toBe(ids.length)
      for (const [i, name] of names.entries()) expect((await flowsOf(name, BUILTINS, async () => ids))[0]).toBe(ids[i])
    },
  )

  property("[T4] tools and flows never share a name", { runs: 300 }, [fc.uniqueArray(tool), fc.uniqueArray(id)], async (tools, ids) => {
    const own = [...tools, ...ids.map((one) => `flow_${one}`), "flow_write", "mcp:a:b", "mcp:a.b:c", "mcp:a:b.c"]
    const all = [
      ...(await Promise.all([...new Set(own)].map((one) => toolName(one, BUILTINS)))),
      ...(await Promise.all(ids.map((one) => flowName(one, BUILTINS)))),
    ]
    for (const name of all) expect(name).toMatch(SAFE)
    expect(new Set(all).size).toBe(all.length)
  })

  test("[H12] the listed spelling, the older one and the raw one mean the same flow", async () => {
    expect(await flowName("legal:nda", BUILTINS)).toBe("flow_legal__nda")
    expect(await flowName("write", BUILTINS)).toMatch(/^flow_write-[0-9a-f]{10}$/)
    for (const name of ["flow_legal__nda", "flow_legal.nda", "flow_.legal.nda", "flow_legal:nda"])
      expect((await flowsOf(name, BUILTINS, async () => []))[0], name).toBe("legal:nda")
    expect(await flowsOf("echo", BUILTINS, async () => ["echo"])).toEqual([])
    expect(await flowsOf("flow_../x", BUILTINS, async () => [])).toEqual([])
  })
})
