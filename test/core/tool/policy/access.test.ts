// Globs over workspace paths [G7]: `*` stays in its folder, `**` crosses folders, everything else is literal.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { allowedBy } from "../../../../src/core/tool/policy/access.ts"
import { compileGlob } from "../../../../src/core/text/glob.ts"
import { cpuClock } from "../../../support/cpu-clock.ts"

describe("allowedBy", () => {
  test.each([
    ["out/**", "out/a.txt", true],
    ["out/**", "out/a/b/c.txt", true],
    ["out/**", "out", false],
    ["out/**", "outside/a.txt", false],
    ["out/*", "out/a.txt", true],
    ["out/*", "out/a/b.txt", false],
    ["*.md", "a.md", true],
    ["*.md", "docs/a.md", false],
    ["**/*.md", "a.md", true],
    ["**/*.md", "docs/deep/a.md", true],
    ["**/x", "ax", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "ab", false],
    ["a**b", "a/x/b", true],
    ["**", "any/thing", true],
    ["*", "a/b", false],
    ["./out/*", "out/a", true],
    ["/out/*", "out/a", true],
    ["a.md", "a.md", true],
    ["a.md", "axmd", false],
    ["[id]/?.ts", "[id]/?.ts", true],
    ["[id]/?.ts", "i/a.ts", false],
    ["{a,b}.ts", "a.ts", false],
    ["{a,b}.ts", "{a,b}.ts", true],
    ["cafe\u0301/*", "café/x", true],
    ["", "a", false],
  ])("[G7] %j and %j: %j", (glob, path, wanted) => expect(allowedBy([glob], path)).toBe(wanted))

  test("[G7] no list allows every path, an empty list none", () => {
    expect(allowedBy(undefined, "any/path")).toBe(true)
    expect(allowedBy([], "any/path")).toBe(false)
  })

  test.each([
    "out/../secret.txt",
    "./out//..//secret.txt",
    "out/%2e%2e/secret.txt",
    "out/..%2fsecret.txt",
    "/secret.txt",
    "out/../../secret.txt",
    "out\\..\\secret",
    "out/．．/secret",
  ])("[G7] %j is not in out/**", (path) => expect(allowedBy(["out/**"], path)).toBe(false))

  test("[G7] a detour that stays inside is allowed", () => expect(allowedBy(["out/**"], "./out//sub/../two.txt")).toBe(true))

  test("[G10] a path that cannot be normalized is refused, with or without a list", () => {
    expect(allowedBy(undefined, "../x")).toBe(false)
    expect(allowedBy(["**"], "a\0")).toBe(false)
  })
})

/** An independent implementation: a regular expression, for short input. */
function oracle(glob: string): RegExp {
  let source = ""
  for (let i = 0; i < glob.length; i++) {
    if (glob.startsWith("**", i)) {
      const atStart = i === 0 || glob[i - 1] === "/"
      while (glob[i + 1] === "*") i++
      if (atStart && glob[i + 1] === "/") {
        source += "(?:.*/)?"
        i++
      } else source += ".*"
    } else if (glob[i] === "*") source += "[^/]*"
    else source += (glob[i] ?? "").replace(/[.?+^$()[\]{}|\\/]/g, "\\$&")
  }
  return new RegExp(`^${source}$`, "s")
}

describe("compileGlob", () => {
  test("[G7] agrees with a regular expression on random globs and paths", () => {
    const glob = fc.array(fc.constantFrom("a", "b", ".", "*", "**", "/", "**/", "?"), { minLength: 1, maxLength: 7 }).map((x) => x.join(""))
    const path = fc
      .array(fc.constantFrom("a", "b", ".", "?"), { minLength: 1, maxLength: 6 })
      .chain((chars) =>
        fc
          .array(fc.boolean(), { minLength: chars.length, maxLength: chars.length })
          .map((slash) => chars.map((c, i) => (slash[i] && i > 0 ? `/${c}` : c)).join("")),
      )
    let hits = 0
    fc.assert(
      fc.property(glob, path, (g, p) => {
        fc.pre(!/^\.?\//.test(g))
        const wanted = oracle(g).test(p)
        if (wanted) hits++
        expect(compileGlob(g)(p)).toBe(wanted)
      }),
      { numRuns: 5_000 },
    )
    expect(hits).toBeGreaterThan(200)
  })

  test("[G7] a hostile glob is matched in linear time", () => {
    const matches = compileGlob(`${"**/*a*/".repeat(60)}b`)
    const spent = cpuClock()
    expect(matches(`${"a/".repeat(250)}c`)).toBe(false)
    expect(spent()).toBeLessThan(2_000)
  })

  test("[T20] the search dialect supports ?, braces, and names in every folder", () => {
    const find = (glob: string, path: string): boolean => compileGlob(glob, "search")(path)
    expect(find("*.ts", "src/deep/a.ts")).toBe(true)
    expect(find("src/*.ts", "src/deep/a.ts")).toBe(false)
    expect(find("**/*.{ts,tsx}", "src/a.tsx")).toBe(true)
    expect(find("{a,b{c,d}}.md", "bd.md")).toBe(true)
    expect(find("?.md", "x/a.md")).toBe(true)
    expect(find("?.md", "ab.md")).toBe(false)
  })

  test("[T20] braces with too many alternatives are literal", () => {
    const glob = "{a,b}".repeat(40)
    expect(compileGlob(glob, "search")(glob)).toBe(true)
  })
})
