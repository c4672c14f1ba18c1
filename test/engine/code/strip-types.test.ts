import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { Parser } from "acorn"
import { describe, expect, test } from "vitest"
import { eraseTypes } from "../../../src/engine/code/erase-types.ts"
import { readHandler } from "../../../src/engine/code/handler-source.ts"
import { meter } from "../../../src/engine/code/meter.ts"
import { stripTypes } from "../../../src/engine/code/strip-types.ts"
import { amount } from "../../support/amount.ts"

const DEFAULT = "\nexport default () => ({})"
const strip = (text: string): string => {
  const { code, diagnostics } = stripTypes(text + DEFAULT, "ts")
  return code === undefined ? JSON.stringify(diagnostics) : code.slice(0, -DEFAULT.length)
}
/** For comparisons that ignore white space. */
const squeezed = (text: string): string =>
  strip(text)
    .replace(/[ \n]+/g, " ")
    .trim()
const faults = (text: string, language: "ts" | "js" = "ts"): string[] =>
  stripTypes(text, language).diagnostics.map((d) => `${d.line}:${d.column ?? 0} ${d.severity} ${d.code}`)

describe("type erasure", () => {
  test("[F24] every line and column keeps its place", () => {
    expect(strip("const a: number = 1, b = c as string\nlet d!: Map<string, {\n  x: 1\n}>")).toBe(
      "const a         = 1, b = c ;        \nlet d ;              \n      \n  ",
    )
    expect(strip("interface A {\n  a: 1\n}\ntype B = 'b'")).toBe(";            \n      \n \n;           ")
  })

  test.for([
    ["a statement must not run into the next one", "let x = y as T\n[1].map(z)", "let x = y ; [1].map(z)"],
    ["nor across a type that was between", "let a = 1\ninterface X {}\n(b)", "let a = 1 ; (b)"],
    ["nor in a class", "class A { x = 1 as number\n ['y']() {}\n private ['z'] = 2 }", "class A { x = 1 ; ['y']() {} ; ['z'] = 2 }"],
    ["no line ends before an arrow", "const f = (a): {\n x: 1\n} => a", "const f = (a ) => a"],
    ["nor after async", "const f = async <\nT\n>(a: T) => a", "const f = async ( a ) => a"],
    ["a for loop's head keeps its semicolons", "for (let i: number = 0, j: number; i < 1; i++);", "for (let i = 0, j ; i < 1; i++);"],
    ["overloads", "function o(a: T): T\nfunction o(a) { return a }", "; function o(a) { return a }"],
    ["this is not a parameter", "function g(this: X, a?: T): asserts a is T {}", "function g( a ) {}"],
    ["class heads", "abstract class B<T> extends (C)<T> implements I<T>, J {}", "class B extends (C) {}"],
    ["type-only imports", "import type { A } from './a'\nimport { type B } from './b'", "; ;"],
    ["type arguments", "const v = new Map<K, V>(), w = f?.<T>(1), x = y!.z!", "const v = new Map (), w = f?. (1), x = y .z;"],
  ])("[F24] %s", ([, text, out]) => {
    expect(squeezed(text ?? "")).toBe(out)
  })

  test("[F24] our own source has the same meaning as when the runtime strips it", () => {
    const root = fileURLToPath(new URL("../../../src", import.meta.url))
    const files = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((f) => f.endsWith(".ts") && !f.endsWith(".gen.ts"))
      .filter((_, i) => i % amount(1, 8) === 0)
    expect(files.length).toBeGreaterThan(100)
    for (const file of files) {
      const text = readFileSync(path.join(root, file), "utf8")
      const source = readHandler(text, "ts")
      if (!source.ok) throw new Error(`${file}: ${source.error.message}`)
      expect({ file, tree: tree(eraseTypes(source.value).code) }).toEqual({ file, tree: tree(stripTypeScriptTypes(text)) })
    }
  })
})

const tree = (code: string): string =>
  JSON.stringify(Parser.parse(code, { ecmaVersion: "latest", sourceType: "module" }), (key: string, value: unknown) => {
    if (key === "start" || key === "end") return undefined
    if (typeof value === "bigint") return String(value)
    return Array.isArray(value)
      ? value.filter((item: unknown) => !(item instanceof Object && "type" in item && item.type === "EmptyStatement"))
      : value
  })

describe("refused handlers", () => {
  test.for([
    ["import { z } from 'zod'", "1:1 error CV-IMPORT"],
    ["import 'x'", "1:1 error CV-IMPORT"],
    ["import x, { type Y } from 'x'", "1:1 error CV-IMPORT"],
    ["export * from 'x'", "1:1 error CV-IMPORT"],
    ["const x = await import('x')", "1:17 error CV-IMPORT"],
    ["const x = require('x')", "1:11 error CV-IMPORT"],
    ["import x = require('x')", "1:1 error CV-IMPORT"],
    ["enum E { A }", "1:1 error CV-TYPES"],
    ["namespace N { export const a = 1 }", "1:1 error CV-TYPES"],
    ["class A { constructor(private a: string) {} }", "1:23 error CV-TYPES"],
    ["const x = <any>y", "1:11 error CV-TYPES"],
    ["@d class A {}", "1:1 error CV-TYPES"],
    ["const x = 1 + a as number * b", "1:11 error CV-TYPES"],
    ["eval('1')", "1:1 warning CV-POWER"],
    ["const f = new Function('return 1')", "1:11 warning CV-POWER"],
    ["await fetch('http://example.com')", "1:7 warning CV-POWER"],
  ])("[F24] %s: %s", ([text, fault]) => {
    expect(faults(text + DEFAULT)).toEqual([fault])
  })

  test("[F24] a handler without a default-exported function is refused", () => {
    expect(faults("export const a = 1")).toEqual(["1:1 error CV-DEFAULT"])
    expect(faults("\nexport default { a: 1 }")).toEqual(["2:16 error CV-DEFAULT"])
    expect(faults("export default class {}")).toEqual(["1:16 error CV-DEFAULT"])
    expect(faults("export default function* () {}")).toEqual(["1:16 error CV-DEFAULT"])
    expect(faults("export default interface A {}")).toEqual(["1:1 error CV-DEFAULT"])
    expect(faults("const f = () => ({})\nexport { f as default }")).toEqual([])
  })

  test("[F24] a syntax error is reported at its place", () => {
    expect(stripTypes("const a = 1\nconst = 2", "ts")).toEqual({
      diagnostics: [
        { code: "CV-PARSE", line: 2, column: 7, severity: "error", message: expect.stringContaining("this is not TypeScript") },
      ],
    })
    expect(faults("const a: number = 1", "js")).toEqual(["1:8 error CV-PARSE"])
  })

  test("[F24] JavaScript stays unchanged", () => {
    const text = "// kept\nexport default (a) => ({ a })"
    expect(stripTypes(text, "js")).toEqual({ code: text, diagnostics: [] })
  })

  test.for<[string, string]>([
    ["tries that nest", "f<T>(".repeat(50_000)],
    ["brackets", "(".repeat(250_000)],
    ["types", `let x: ${"A<".repeat(100_000)}`],
    ["names", Array.from({ length: 20_000 }, (_, i) => `let a${i}=1`).join("\n")],
    ["statements", "a;\n".repeat(80_000)],
    ["conditional types", `let x: ${"a extends b ? c : ".repeat(10_000)}`],
    ["size", `// ${"x".repeat(300_000)}`],
    ["a sum", `let x = ${"a + ".repeat(60_000)}a`],
  ])("[F24] a hostile file is refused in time: %s", ([, text]) => {
    const [first] = stripTypes(text + DEFAULT, "ts").diagnostics
    expect(first?.severity).toBe("error")
    expect(["CV-LIMIT", "CV-PARSE"]).toContain(first?.code)
  })
})

describe("the meter", () => {
  test("[F24] every loop and every function counts, and no line moves", () => {
    const code =
      "const f = n => n < 2 ? n : f(n - 1)\nwhile (a) while (b) c\ndo d; while (1)\nexport default async function (x) {\n for await (const y of x) { f(y) }\n return () => ({})\n}"
    const metered = meter(code)
    expect(metered).toEqual({
      ok: true,
      value:
        'import { tick as $tick } from "meter.js";const f = n => ($tick(1),n < 2 ? n : f(n - 1))\nwhile (a) {$tick(1);while (b) {$tick(1);c}}\ndo {$tick(1);d;} while (1)\n' +
        "export default async function (x) {$tick(1);\n for await (const y of x) {$tick(32); f(y) }\n return () => ($tick(1),({}))\n}",
    })
  })

  test("[F24] the meter's name is unused in the handler, and a handler cannot import it", () => {
    expect(meter("const $tick = 1, $tick0 = 2\nexport default () => 1")).toMatchObject({ value: expect.stringContaining("as $tick1 }") })
    expect(meter("import { tick } from 'meter.js'\nexport default () => 1")).toMatchObject({ ok: false })
  })
})
