// What `npm run measure` counts stays as small as it is, and no room imports what its border does not allow.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { listsOf } from "../../scripts/measure.ts"
import { AT_MOST } from "../../scripts/measure/at-most.ts"
import { BORDERS, bordersTable, crossings, isBelow } from "../../scripts/measure/borders.ts"
import { circlesOf, pairsOf } from "../../scripts/measure/import-graph.ts"
import { allImports, readTree, specifiersOf } from "../../scripts/measure/tree.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const tree = readTree(root)

const imports = (...pairs: readonly (readonly [from: string, to: string])[]) => pairs.map(([from, to]) => ({ from, to, isType: false }))

describe("the tree", () => {
  const lists = listsOf(tree)
  test.each(Object.keys(AT_MOST) as (keyof typeof AT_MOST)[])("has no more %s than scripts/measure/at-most.ts says", (name) => {
    const found = lists[name]
    const more = `${found.length} ${name}, and at most ${AT_MOST[name]}: \`npm run measure -- --${name}\` lists them`
    expect(found.length, `${more}\n${found.slice(0, 100).join("\n")}`).toBeLessThanOrEqual(AT_MOST[name])
  })

  test("crosses no border", () => {
    expect(crossings(allImports(tree))).toEqual([])
  })

  test("has a folder for each row of the borders, and ARCHITECTURE.md shows them", () => {
    for (const { room } of BORDERS)
      expect(
        tree.some(({ file }) => isBelow(file, room)),
        room,
      ).toBe(true)
    const page = readFileSync(`${root}/ARCHITECTURE.md`, "utf8")
    expect(page.includes(bordersTable()), "put in the table that `npm run measure -- --borders` prints").toBe(true)
  })
})

describe("npm run measure", () => {
  test("counts imports of values, of types and by `import()`", () => {
    const code =
      'import { a, type B } from "./a.ts"\nimport {\n  type C,\n} from "./c.ts"\nexport type { D } from "./d.ts"\nimport "./e.css"\nlazy(() => import("./f.ts"))'
    expect(specifiersOf(code)).toEqual([
      { to: "./a.ts", isType: false },
      { to: "./c.ts", isType: true },
      { to: "./d.ts", isType: true },
      { to: "./e.css", isType: false },
      { to: "./f.ts", isType: false },
    ])
  })

  test("finds a circle of files, and rooms that import each other", () => {
    const circle = imports(["src/a/b/x.ts", "src/a/c/y.ts"], ["src/a/c/y.ts", "src/a/c/z.ts"], ["src/a/c/z.ts", "src/a/b/x.ts"])
    expect(circlesOf(circle)).toEqual([["src/a/b/x.ts", "src/a/c/y.ts", "src/a/c/z.ts"]])
    expect(pairsOf(circle).map(({ rooms }) => rooms)).toEqual([["src/a/b", "src/a/c"]])
    const line = circle.slice(0, 2)
    expect([circlesOf(line), pairsOf(line)]).toEqual([[], []])
  })

  test("says which import crosses a border, and what may be imported", () => {
    expect(crossings(imports(["src/core/run/admit.ts", "src/core/run/event.ts"], ["src/core/json.ts", "zod"]))).toEqual([])
    expect(crossings([{ from: "src/client/runs.ts", to: "src/api/run/runs.ts", isType: true }])).toEqual([])
    expect(crossings(imports(["src/client/runs.ts", "src/api/run/runs.ts"]))).toHaveLength(1)
    expect(crossings(imports(["src/api/run/runs.ts", "src/api/doc/run/runs.doc.ts"], ["src/engine/run/start.ts", "hono"]))).toHaveLength(2)
    const [said] = crossings(imports(["src/core/json.ts", "src/engine/lru.ts"]))
    expect(said).toMatch(
      /^src\/core\/json.ts imports src\/engine\/lru.ts, but src\/core may import zod, yaml: what core needs comes in as data/,
    )
  })
})
