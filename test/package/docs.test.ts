// `sluice docs`, and the skill that coding agents in a user's project read.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { codingSkill } from "../../cli/docs/coding-skill.ts"
import { pagesIn } from "../../cli/docs/doc-pages.ts"
import { sluice } from "./sluice.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const textsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(readdirSync(path.join(root, folder)).map((name) => [name, readFileSync(path.join(root, folder, name), "utf8")]))
const schemas = new Map(
  [...textsIn("docs/schemas")].map(([name, text]) => [name.replace(/\.json$/, ""), JSON.parse(text) as Record<string, unknown>]),
)

describe("docs", () => {
  test("[H11] without words it lists every page, each under one name", async () => {
    const { code, out } = await sluice(["docs", "--json"])
    const { pages } = JSON.parse(out) as { pages: { id: string; title: string }[] }
    expect(code).toBe(0)
    expect(pages.map(({ id }) => id)).toEqual(expect.arrayContaining(["steps", "flow-language", "operating", "hook", "project"]))
    expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length)
    expect(pages.filter(({ title }) => title === "")).toEqual([])
  })

  test.each([
    ["steps", "# Step types"],
    ["step", "# Step types"],
    ["hook", "# Fields of hooks/NAME.yaml"],
    ["hooks", "# Fields of hooks/NAME.yaml"],
    ["hook.yaml", "# Fields of hooks/NAME.yaml"],
  ])("[H11] docs %s prints that page", async (word, begins) => {
    const { code, out } = await sluice(["docs", word])
    expect([code, out.slice(0, begins.length)]).toEqual([0, begins])
  })

  test("[H11] other words are searched for, headings first; a diagnostic has its whole row", async () => {
    const row = await sluice(["docs", "FV-BRANCH"])
    expect(row.out).toContain("| `FV-BRANCH` | E | a branch leads to a step that does not exist | one of the listed ids |")
    const found = JSON.parse((await sluice(["docs", "retry", "--json"])).out) as { found: { page: string; heading: string }[] }
    expect(found.found.map(({ page }) => page)).toContain("steps")
    const none = await sluice(["docs", "zzgl"])
    expect([none.code, none.err]).toEqual([1, 'sluice: the manual has nothing about "zzgl": sluice docs lists its pages\n'])
  })

  test("[H11] the fields of a file are those of its schema, with type and meaning", async () => {
    const pages = await pagesIn(root)
    const flow = pages.find(({ id }) => id === "flow")?.text ?? ""
    expect(flow).toContain("| `max_concurrent` | integer | How many adjacent agent steps run in parallel; default: `4` |")
    expect(flow).toContain("| `inputs.NAME.required` | boolean |")
    for (const [name, schema] of schemas)
      for (const field of Object.keys((schema["properties"] ?? {}) as object))
        expect(pages.find(({ id }) => id === name)?.text).toContain(`| \`${field}\` |`)
  })
})

describe("the skill for coding agents", () => {
  const skill = codingSkill(textsIn("skills/flow-language"), schemas)
  test("[H11] has the flow language and the fields of every file, and each file that it names", () => {
    const text = skill.get("SKILL.md") ?? ""
    expect(text).toMatch(/^---\nname: sluice\ndescription: .+\n---\n/)
    expect(text).not.toContain("skill_read")
    const named = [...text.matchAll(/`((?:[a-z-]+\/)?[a-z-]+\.md)`/g)].map(([, name = ""]) => name)
    expect([...new Set(named)].toSorted()).toEqual([...skill.keys()].filter((name) => name !== "SKILL.md").toSorted())
  })

  test("[H11] a skill whose list of topics is worded otherwise stops the packaging", () => {
    expect(() => codingSkill(new Map([["SKILL.md", "---\nname: x\n---\nOther words."]]), schemas)).toThrow("no longer has the line")
  })
})
