// Environments of sluice.yaml: what differs there, by one rule, and the server that they name.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { mergedText, overlaid, patched } from "../../cli/project/environment.ts"
import { DiffLines, diffsOf } from "../../cli/project/plan-diff.ts"
import { connectionOf } from "../../cli/profiles.ts"
import { agent, flow, step } from "../support/engine/memory-catalog.ts"
import { sluice } from "./sluice.ts"

const json = fc.letrec<{ one: fc.JsonValue }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<fc.JsonValue>(null, true, 1, "a", ""),
    fc.array(tie("one"), { maxLength: 3 }) as fc.Arbitrary<fc.JsonValue>,
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("one"), { maxKeys: 3 }) as fc.Arbitrary<fc.JsonValue>,
  ),
})).one
const object = fc.dictionary(fc.constantFrom("a", "b", "c"), json, { maxKeys: 3 })

describe("the merge of an environment", () => {
  test("[F81] objects merge, lists and values replace, null removes; comments and order stay", () => {
    const text = "# A day.\nusd: 5 # little\nrun:\n  most: { usd: 1 }\n  default: { usd: 0.5 }\nlist: [1, 2]\n"
    const merged = mergedText(text, { usd: 50, run: { most: null }, list: [3], more: { a: 1 } })
    expect(parse(merged)).toEqual({ usd: 50, run: { default: { usd: 0.5 } }, list: [3], more: { a: 1 } })
    expect(merged.split("\n")[0]).toBe("# A day.")
    expect(mergedText("usd: [1", { usd: 2 })).toBe("usd: [1")
    expect(mergedText("", { usd: 2, a: null })).toBe("usd: 2\n")
  })

  test("[F81] the text has what the rule says, whatever the file and the difference", () => {
    fc.assert(
      fc.property(object, object, (file, difference) => {
        expect(parse(mergedText(JSON.stringify(file), difference as Record<string, never>)) ?? {}).toEqual(patched(file, difference))
      }),
      { numRuns: 300 },
    )
  })

  test("[F81] a file may come, change and go; what differs is told by its place", () => {
    const bundle = {
      settings: { "budget.yaml": "usd: 5\n", "cors.yaml": "origins: []\n" },
      providers: { "own.yaml": "kind: workers-ai\n" },
    }
    const { bundle: there, differs } = overlaid(bundle, {
      budget: { usd: 50 },
      cors: null,
      retention: { runs: "7d" },
      providers: { own: { silenceSeconds: 20 } },
      hooks: { none: null },
    } as Parameters<typeof overlaid>[1])
    expect(there).toEqual({
      settings: { "budget.yaml": "usd: 50\n", "retention.yaml": "runs: 7d\n" },
      providers: { "own.yaml": "kind: workers-ai\nsilenceSeconds: 20\n" },
    })
    expect(differs).toEqual([
      { path: "budget.yaml", pointer: "/usd", from: 5, to: 50 },
      { path: "cors.yaml", pointer: "", from: { origins: [] } },
      { path: "retention.yaml", pointer: "", to: { runs: "7d" } },
      { path: "providers/own.yaml", pointer: "/silenceSeconds", to: 20 },
    ])
  })
})

describe("the diff of a plan", () => {
  const texts = (ours: string, theirs: string) => ({ ours: new Map([["a", ours]]), theirs: new Map([["a", theirs]]) })
  const numbered = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("")

  test("[F78] shows both texts, colored only where a terminal is, and no control characters of a file", () => {
    const diffs = diffsOf(["a"], texts("one\ntwo\u001B[31m\n", "one\nthree\n"))
    const plainly = new DiffLines(diffs, { isFull: false, hasColor: false }).of("a")
    expect(plainly).toEqual(["    @@ -1,2 +1,2 @@", "     one", "    -three", "    +two[31m"])
    const colored = new DiffLines(diffs, { isFull: false, hasColor: true }).of("a")
    expect(colored[3]).toBe("    \u001B[32m+two[31m\u001B[0m")
  })

  test("[F78] is bounded in lines and says how many more there are; --full shows them all", () => {
    const diffs = diffsOf(["a"], texts(numbered(100), ""))
    const short = new DiffLines(diffs, { isFull: false, hasColor: false }).of("a")
    expect([short.length, short.at(-1)]).toEqual([41, "    … 61 more lines: --full"])
    expect(new DiffLines(diffs, { isFull: true, hasColor: false }).of("a")).toHaveLength(101)
    const paths = Array.from({ length: 9 }, (_, i) => `f${i}`)
    const all = new DiffLines(new Map(paths.map((name) => [name, diffs.get("a") ?? ""])), { isFull: false, hasColor: false })
    expect(paths.map((name) => all.of(name).length)).toEqual([41, 41, 41, 41, 41, 1, 1, 1, 1])
  })
})

describe("--env", () => {
  let folder = ""
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sluice-env-"))
    await write("agents/a.md", agent("a"))
    await write("flows/one.yaml", flow("one", step("s", "a")))
    await write("budget.yaml", "usd: 5\n")
    await write("sluice.yaml", "environments:\n  staging: { budget: { usd: -1 } }\n  production: { server: https://sluice.example.com }\n")
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test("[F81] a name that sluice.yaml lacks is refused with the nearest; a member that it cannot have, too", async () => {
    const { code, err } = await sluice(["plan", "--env", "stagin"], { cwd: folder })
    expect([code, err]).toEqual([
      2,
      'sluice: sluice.yaml has no environment "stagin": did you mean "staging"? (known: staging, production)\n',
    ])
    await write("sluice.yaml", "environments:\n  staging:\n    budgt: { usd: 1 }\n")
    const wrong = await sluice(["validate"], { cwd: folder })
    expect([wrong.code, wrong.out]).toEqual([
      3,
      expect.stringContaining('sluice.yaml:3:5: error PV-FIELD: unknown field "budgt" (did you mean "budget"?)'),
    ])
  })

  test("[F81] the folder is judged as the environment has it", async () => {
    expect((await sluice(["validate"], { cwd: folder })).code).toBe(0)
    const { code, out } = await sluice(["validate", "--env", "staging"], { cwd: folder })
    expect([code, out]).toEqual([3, expect.stringMatching(/budget\.yaml:1:6: error .*\n +1 \| usd: -1\n/)])
  })

  test("[F81] its server gets no key that was meant for another one", async () => {
    const place = { name: "production", server: "https://sluice.example.com" }
    const profiles = path.join(folder, "profiles.json")
    const at = (env: Record<string, string>, wish = {}) =>
      connectionOf(
        { ...wish, place },
        { SLUICE_PROFILES: profiles, ...env },
        async () => undefined,
        async () => {},
      )
    await expect(at({ SLUICE_KEY: "of-another" })).rejects.toThrow("give a key for https://sluice.example.com (environment production)")
    await expect(at({}, { key: "given" })).resolves.toMatchObject({ url: place.server, key: "given", from: "environment production" })
    await expect(at({ SLUICE_KEY: "k", SLUICE_URL: "https://sluice.example.com/" })).resolves.toMatchObject({ key: "k" })
    await writeFile(
      profiles,
      JSON.stringify({ profiles: { live: { url: place.server, key: "kept" }, other: { url: "https://b.example", key: "b" } } }),
    )
    await expect(at({})).resolves.toMatchObject({ url: place.server, key: "kept" })
    const named = { name: "production", server: place.server, profile: "other" }
    await expect(
      connectionOf(
        { place: named },
        { SLUICE_PROFILES: profiles },
        async () => undefined,
        async () => {},
      ),
    ).rejects.toThrow("sluice.yaml says https://sluice.example.com for production, and the profile other is of https://b.example")
  })
})
