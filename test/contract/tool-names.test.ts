import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { toolNames } from "../../src/models/tool-names.ts"

const PROVIDER = /^[A-Za-z0-9_-]{1,64}$/

describe("tool names for a provider", () => {
  test("[T4] file.read and file_read live in one run, and the valid name stays unchanged", () => {
    const names = toolNames(["file.read", "file_read"])
    expect(names.safe("file_read")).toBe("file_read")
    expect(names.safe("file.read")).toMatch(/^file_read_[0-9a-z]{6}$/)
    expect(names.real(names.safe("file.read"))).toBe("file.read")
  })

  test("[T4] a name without collisions is only flattened", () => {
    const names = toolNames(["mcp:notes:add", "file.read"])
    expect([names.safe("mcp:notes:add"), names.safe("file.read")]).toEqual(["mcp_notes_add", "file_read"])
  })

  test("[T4] names that flatten to the same name get a hash, in any order", () => {
    const alike = ["mcp:a:b", "mcp.a.b", "mcp:a_b"]
    const one = toolNames(alike)
    const other = toolNames([...alike].reverse())
    expect(new Set(alike.map(one.safe)).size).toBe(3)
    expect(alike.map(one.safe)).toEqual(alike.map(other.safe))
  })

  test("[T4] a long name is cut and gets a hash of the whole", () => {
    const long = ["a", "b"].map((end) => `mcp:server:${"x".repeat(90)}${end}`)
    const names = toolNames(long)
    expect(long.map(names.safe).filter((safe) => safe.length === 64)).toHaveLength(2)
    expect(long.map((name) => names.real(names.safe(name)))).toEqual(long)
  })

  test("[T4] a name that the provider invented is returned unchanged", () => {
    expect(toolNames(["file.read"]).real("constructor")).toBe("constructor")
  })

  test("[T4] any names: fit for a provider, reversible, independent of order", () => {
    const name = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "b", "_", ".", ":", "-"), minLength: 1, maxLength: 4 }),
      fc.string({ unit: "grapheme", maxLength: 90 }),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 30 }), (list) => {
        const names = toolNames(list)
        const safe = list.map(names.safe)
        expect(safe.filter((one) => !PROVIDER.test(one))).toEqual([])
        expect(safe.map(names.real)).toEqual(list)
        expect([...list].reverse().map(toolNames([...list].reverse()).safe)).toEqual([...safe].reverse())
      }),
    )
  })
})
