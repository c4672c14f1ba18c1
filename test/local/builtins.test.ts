// The shipped built-ins match the folders.

import { describe, expect, test } from "vitest"
import { readBuiltins, renderBuiltins } from "../../scripts/builtins.ts"
import { BUILTINS } from "../../src/cloudflare/platform/builtins.gen.ts"

describe("built-ins", () => {
  test("[F70] the generated module holds exactly the files of agents/, flows/ and skills/ (else: npm run builtins)", () => {
    const files = readBuiltins()
    const paths = new Set([...files.keys(), ...Object.keys(BUILTINS)])
    expect([...paths].filter((path) => files.get(path) !== BUILTINS[path])).toEqual([])
    expect(Object.keys(BUILTINS)).toEqual([...files.keys()])
  })

  test("[F70] any text survives being generated", () => {
    const texts = new Map([
      ["agents/a.md", 'say "hi"\n`${{task}}`\n'],
      ["flows/b.yaml", "back\\slash, \u2028, ünï, 🦦\n"],
    ])
    const generated = renderBuiltins(texts)
    const literals = [...generated.matchAll(/^ {2}("[^"]*"): (".*"),$/gm)]
    expect(new Map(literals.map(([, path, text]): [string, string] => [JSON.parse(path ?? ""), JSON.parse(text ?? "")]))).toEqual(texts)
    expect(renderBuiltins(new Map(texts))).toBe(generated)
  })
})
