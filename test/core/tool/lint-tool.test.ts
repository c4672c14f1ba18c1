import { describe, expect, test } from "vitest"
import { lintTool } from "../../../src/core/tool/lint-tool.ts"
import { TOOLS } from "../../../src/tools/toolbox.ts"

const spec = (name: string, properties: Record<string, object>, description = "Does it.") => ({
  name,
  description,
  parameters: { type: "object", properties: JSON.parse(JSON.stringify(properties)) },
})

describe("lint of a tool", () => {
  test("[T1] a parameter without a description is one warning, at its position", () => {
    const given = spec("find_it", {
      said: { type: "string", description: "What." },
      mute: { type: "string" },
      deep: { type: "object", description: "d", properties: { "a/b": { type: "string", description: " " } } },
    })
    expect(lintTool(given).map((w) => [w.code, w.pointer])).toEqual([
      ["missing-description", "/parameters/properties/mute"],
      ["missing-description", "/parameters/properties/deep/properties/a~1b"],
    ])
  })

  test("[T1] a name that is not snake_case is a warning; dots and colons are allowed", () => {
    expect(["myTool", "My_tool", "a__b"].map((name) => lintTool(spec(name, {}))[0]?.code)).toEqual(["naming", "naming", "naming"])
    expect(["linkup_web_search", "file.read", "mcp:crm:find-all", "ls"].flatMap((name) => lintTool(spec(name, {})))).toEqual([])
  })

  test("[T1] choices written as constants, and a tool without a description, are warnings", () => {
    const choice = { anyOf: [{ const: "a" }, { const: "b" }], description: "Which." }
    expect(lintTool(spec("pick", { choice }, "")).map((w) => w.code)).toEqual(["missing-description", "enum-as-const"])
  })

  test("[T1] built-in tools have no warnings, except for names that flowai defines", () => {
    const warnings = TOOLS.flatMap((tool) => lintTool(tool).map((w) => [tool.name, w.pointer]))
    expect(warnings).toEqual(["resolveRef", "glimpseRef", "storePlan", "getPlan", "executePlan"].map((name) => [name, "/name"]))
  })
})
