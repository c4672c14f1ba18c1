// manifest.json of a skill, from the catalog to the definitions of a run [T31]; and the explanation of an agent's tools [T33].

import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../../src/core/tool/policy/parse-policy.ts"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import { currentSkills } from "../../../src/engine/catalog/skill-library.ts"
import { agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"

const NONE = { providers: [], roles: {} }
const SKILL = "---\nname: docs\ndescription: d\nfiles: [api.md]\n---\nINDEX\n"
// Unique texts: loaded definitions are cached by hash.
const LOST = JSON.stringify({ permissions: { tools: ["write"] } })
const GRANTS = JSON.stringify({ permissions: { tools: ["read"], fs: { read: ["docs/**"] } } })
const bundle = (manifest?: string) => ({
  agents: { "a.md": agent("a", "tools: read, write\nskills: docs\n") },
  skills: { "docs/SKILL.md": SKILL, "docs/api.md": "API", ...(manifest === undefined ? {} : { "docs/manifest.json": manifest }) },
  flows: { "f.yaml": flow("f", step("x", "a")) },
})

describe("a manifest", () => {
  test("[T31] a manifest is pinned even if SKILL.md does not list it, and its permissions apply to the skill", async () => {
    const { catalog, blobs } = await stocked(bundle(GRANTS))
    const pinned = await catalog.pins.pin({ flow: "f" }, NONE, { rehearse: false })
    if (!pinned.ok) throw new Error(JSON.stringify(pinned))
    expect(Object.keys(pinned.pins.skills["docs"] ?? {}).toSorted()).toEqual(["SKILL.md", "api.md", "manifest.json"])
    const { skills } = await loadDefinitions(pinned.pins, blobs)
    expect(skills["docs"]?.skill.permissions).toMatchObject({ tools: ["read"], fs: { read: ["docs/**"], write: [] }, net: [], secrets: [] })
  })

  test("[T31] a skill without a manifest restricts nothing", async () => {
    const { catalog, blobs } = await stocked(bundle())
    const pinned = await catalog.pins.pin({ flow: "f" }, NONE, { rehearse: false })
    if (!pinned.ok) throw new Error(JSON.stringify(pinned))
    expect((await loadDefinitions(pinned.pins, blobs)).skills["docs"]?.skill).not.toHaveProperty("permissions")
  })

  test("[T31] a malformed one is refused when it is written, with the place in it", async () => {
    const { catalog } = world()
    const result = await catalog.replace(bundle('{"permissions": {"tols": []}}'))
    expect(result.ok).toBe(false)
    const found = result.ok ? [] : (result.diagnostics["skills/docs/manifest.json"] ?? [])
    expect(found.map((d) => [d.code, d.severity])).toEqual([["CAT-MANIFEST", "error"]])
    expect(found[0]?.message).toContain("/permissions/tols")
  })

  test("[T31] a damaged manifest does not count as missing: the skill does not load", async () => {
    const { catalog, blobs, rows } = await stocked(bundle(LOST))
    const hash = rows.files().find((f) => f.path === "skills/docs/manifest.json")?.hash ?? ""
    blobs.lose(hash)
    const pinned = await catalog.pins.pin({ flow: "f" }, NONE, { rehearse: false })
    await expect(pinned.ok ? loadDefinitions(pinned.pins, blobs) : undefined).rejects.toThrow(/manifest.*missing or damaged/)
    expect((await currentSkills((await catalog.files("skill")).data, blobs)).names()).not.toContain("docs")
  })
})

describe("an agent's tools", () => {
  const spec = (name: string): ToolSpec => ({ name, description: "", parameters: {}, effect: "read", contexts: ["agent"] })
  const tools: readonly ToolSpec[] = [
    ...["read", "write", "bash", "ask_user", "skill_read"].map(spec),
    { ...spec("subagent"), contexts: ["main"] },
  ]
  const explained = async (manifest: string | undefined, policy: unknown) => {
    const { catalog } = await stocked(bundle(manifest))
    const read = parsePolicy(policy)
    const rows = await catalog.agentTools("a", { tools, policy: read.ok ? read.value : DEFAULT_POLICY, settings: NONE })
    return Object.fromEntries((rows ?? []).map((row) => [row.name, `${row.granted ? "+" : "-"} ${row.rule}`]))
  }

  test("[T33] lists each tool, whether it is granted, and by which rule", async () => {
    expect(await explained(undefined, { tools: { profile: "minimal", allow: ["write"], deny: ["ask_user"] } })).toEqual({
      finish: "+ outside policy: every session of the agent has finish",
      read: "+ profile minimal",
      write: "+ allow write",
      bash: "- agent a does not declare it",
      ask_user: "- deny ask_user",
      skill_read: "+ profile minimal",
      subagent: "- role: not for agents of this role",
    })
    expect((await explained(undefined, { tools: { agents: { a: { deny: ["write"] } } } }))["write"]).toBe("- tools.agents: a: deny write")
  })

  test("[T31] a skill that does not grant a tool is named", async () => {
    expect((await explained(GRANTS, {}))["write"]).toBe("- skill docs: its manifest does not grant it")
  })

  test("[T33] an unknown agent has no explanation", async () => {
    const { catalog } = await stocked(bundle())
    expect(await catalog.agentTools("nobody", { tools, policy: DEFAULT_POLICY, settings: NONE })).toBeUndefined()
  })
})
