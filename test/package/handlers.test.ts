// Handlers of a project that import its files and npm packages [F24]: bundled by the command line, judged where the author wrote them.

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { packed } from "../../cli/handlers/packed.ts"
import { scaffold } from "../../cli/scaffold.ts"
import { bundleOf } from "../../local/definition-files.ts"
import { headerOf, sourceOf } from "../../src/core/flow/code-bundle.ts"
import { stripTypes } from "../../src/engine/code/strip-types.ts"
import { meter } from "../../src/engine/code/meter.ts"
import { sluice } from "./sluice.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** What of the package's types a handler needs. */
const STUB = `export interface Register {}
type Named = Register extends { readonly handlers: infer All } ? All : never
export type Handler<Name extends keyof Named> = (input: Named[Name] extends { readonly input: infer T } ? T : never, ctx: unknown) => unknown
`

let home = ""
let folder = ""
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}
const npm = async (name: string, text: string, version = "1.0.0"): Promise<void> => {
  await write(`node_modules/${name}/package.json`, JSON.stringify({ name, version, type: "module", exports: { ".": "./index.js" } }))
  await write(`node_modules/${name}/index.js`, text)
}
const validated = async (): Promise<string[]> => {
  const { out } = await sluice(["validate"], { cwd: folder })
  return out.split("\n").filter((line) => /: (?:error|warning) /.test(line))
}
const pack = async () => packed(folder, await bundleOf(folder))
const sent = async (): Promise<string> => (await pack()).bundle["code"]?.["price/sum.ts"] ?? ""

const FLOW = `name: price
description: d
inputs: { text: { type: string, required: true } }
steps:
  - { id: sum, type: code, inputs: { text: "\${{flow.input.text}}" }, outputs: [total] }
outputs: { total: "\${{result.sum.total}}" }
`
const HANDLER = `import { rounded } from "../../lib/money.ts"
import { twice } from "two-times"

enum Kind { Full = 1 }
export default function ({ text }: { readonly text: string }) {
  return { total: twice(rounded(text)) * Kind.Full }
}
`

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-handlers-"))
  folder = path.join(home, "project")
  await write("sluice.yaml", "name: t\n")
  await write("package.json", '{"dependencies":{"two-times":"1.0.0"}}')
  await write("flows/price.yaml", FLOW)
  await write("code/price/sum.ts", HANDLER)
  await write("lib/money.ts", "export const rounded = (text: string): number => Math.round(Number(text))\n")
  await npm("two-times", "export const twice = (x) => x * 2\n")
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe("a handler that imports", () => {
  test("[F24b] is sent in one file that passes the checks of a write, and says what it is made of", async () => {
    expect(await validated()).toEqual([])
    const { handlers } = await pack()
    expect(handlers).toEqual([
      {
        path: "code/price/sum.ts",
        files: ["code/price/sum.ts", "lib/money.ts"],
        packages: ["two-times@1.0.0"],
        bytes: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    const code = await sent()
    expect(stripTypes(code, "ts")).toEqual({ code, diagnostics: [] })
    expect(meter(code).ok).toBe(true)
    const { default: handler } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      default: (input: object) => unknown
    }
    expect(handler({ text: "20.6" })).toEqual({ total: 42 })
  })

  test("[F24b] is the same text each time, and another as soon as anything in it is another", async () => {
    const first = await sent()
    expect(await sent()).toBe(first)
    await write("lib/money.ts", "export const rounded = (text: string): number => Math.floor(Number(text))\n")
    const second = await sent()
    expect(second).not.toBe(first)
    await npm("two-times", "export const twice = (x) => x + x\n")
    expect(await sent()).toContain("x + x")
    await npm("two-times", "export const twice = (x) => x + x\n", "1.0.1")
    expect(await sent()).toContain("two-times@1.0.1")
  })

  test("[F24b] a line of the bundle is the line of the author's file", async () => {
    await write("lib/money.ts", 'interface A {}\n\n\nexport const rounded = (text: string): number => {\n  throw new Error("here")\n}\n')
    const code = await sent()
    const header = headerOf(code)
    const line = code.split("\n").findIndex((text) => text.includes('"here"')) + 1
    expect(header && sourceOf(header, line)).toEqual({ file: "lib/money.ts", line: 5 })
    const twice = code.split("\n").findIndex((text) => text.includes("x * 2")) + 1
    expect(header && sourceOf(header, twice)).toBeUndefined()
  })

  test("[F24b] a handler that imports nothing, or only types, is sent as it is written", async () => {
    const alone = 'import type { Kind } from "../../lib/kinds.ts"\nexport default () => ({ total: 1 })\n'
    await write("code/price/sum.ts", alone)
    expect(await sent()).toBe(alone)
  })

  test("[F24b] a file below code that handlers import is their part, and no handler", async () => {
    await write("code/shared/money.ts", "export const rounded = Number\n")
    await write("code/price/sum.ts", HANDLER.replace("../../lib/money.ts", "../shared/money.ts"))
    expect(await validated()).toEqual([])
    expect(Object.keys((await pack()).bundle["code"] ?? {})).toEqual(["price/sum.ts"])
  })

  test.each([
    ["../../lib/mony.ts", 'there is no file "../../lib/mony.ts" (did you mean "../../lib/money.ts"?)'],
    ["two-tims", 'there is no package "two-tims" here (did you mean "two-times"? Otherwise: npm install two-tims)'],
    ["fs", '"fs" is part of Node, and a handler runs in an isolate without it'],
    ["node:path", '"node:path" is part of Node'],
    ["cloudflare:workers", '"cloudflare:workers" is of the Worker'],
    ["../../../outside.ts", '"../../../outside.ts" is outside the project'],
    ["./logo.png", 'a handler cannot import ".png" files'],
    ["needs-node", "the package needs-node needs fs and net of Node"],
  ])("[F24b] what it cannot import is said at its line: %s", async (name, said) => {
    await write("../outside.ts", "export default 1\n")
    await write("code/price/logo.png", "x")
    await npm("needs-node", 'import fs from "fs"\nimport net from "node:net"\nexport default [fs, net]\n')
    await write("code/price/sum.ts", `import type {} from "x"\nimport it from "${name}"\nexport default () => ({ total: it })\n`)
    const found = await validated()
    expect(found).toEqual([expect.stringMatching(/^code\/price\/sum\.ts:2:\d+: error CV-IMPORT: /)])
    expect(found[0]).toContain(said)
    const { code, err } = await sluice(["catalog", "put", "."], { cwd: folder })
    expect([code, err]).toEqual([3, expect.stringContaining(said)])
  })

  test("[F24b] what fails in an isolate is said where it stands, also in files that the handler imports", async () => {
    await write("lib/money.ts", "export const rounded = async (x: string) => {\n  await fetch(x)\n  return import(x)\n}\n")
    expect(await validated()).toEqual([
      expect.stringContaining("lib/money.ts:2:9: warning CV-POWER: fetch will fail"),
      expect.stringContaining("lib/money.ts:3:10: error CV-IMPORT: a dynamic import of a name that is not in the file"),
    ])
    await write("code/price/sum.ts", HANDLER.replace("export default function", "export function total"))
    expect((await validated())[0]).toContain("code/price/sum.ts:1:1: error CV-DEFAULT")
    await write("lib/money.ts", "export const rounded = (\n")
    expect((await validated()).some((line) => line.startsWith("lib/money.ts:2:1: error CV-PARSE"))).toBe(true)
  })

  test("[F24b] a bundle has at most 1 MiB, and what is most of it is named", async () => {
    await npm("two-times", `export const twice = (x) => x + "${"x".repeat(1_100_000)}"\n`)
    const [found] = await validated()
    expect(found).toContain(
      "CV-LIMIT: the bundled handler is larger than 1024 KiB (import less: a part of a package, or a smaller one (two-times is ",
    )
  })

  test("[F24c] with a compiler in the project its types are checked, alone and against its step; without one, that is said", async () => {
    expect((await sluice(["validate"], { cwd: folder })).err).toContain("handlers are not type-checked: npm install --save-dev typescript")
    await symlink(path.join(root, "test/ci/node_modules/typescript"), path.join(folder, "node_modules/typescript"))
    await write(
      "node_modules/sluice/package.json",
      '{"name":"sluice","type":"module","exports":{".":{"types":"./index.d.ts"},"./package.json":"./package.json"}}',
    )
    await write("node_modules/sluice/index.d.ts", STUB)
    await write("tsconfig.json", scaffold("t", "sluice", "1.0.0")["tsconfig.json"] ?? "")
    const handler = (body: string): Promise<void> =>
      write(
        "code/price/sum.ts",
        `import type { Handler } from "sluice"\nexport default (async (input) => {\n${body}\n}) satisfies Handler<"price/sum">\n`,
      )
    await handler("  return { total: input.text.length }")
    expect(await validated()).toEqual([])
    await handler("  const n: number = input.text.toUpperCase()\n  return { total: input.txet + n }")
    expect(await validated()).toEqual([
      expect.stringMatching(/^code\/price\/sum\.ts:3:9: error CV-TYPE: Type 'string' is not assignable to type 'number'/),
      expect.stringMatching(/^code\/price\/sum\.ts:4:25: error CV-TYPE: Property 'txet' does not exist/),
    ])
    await write("code/price/sum.ts", "export default (input: { readonly other: number }) => ({ total: input.other })\n")
    expect(await validated()).toEqual([expect.stringMatching(/^code\/price\/sum\.ts:1: error CV-TYPE: the handler does not fit its step/)])
  }, 60_000)
})
