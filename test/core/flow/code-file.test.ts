import { describe, expect, test } from "vitest"
import { codeIdOf, codePathOf, codePlace } from "../../../src/core/flow/code-file.ts"

describe("code files", () => {
  test("[F24] a handler is kept under code/, the folders of its flow, and the name of its step", () => {
    expect(codePlace("code/legal/nda/check.ts")).toEqual({
      ok: true,
      value: { flow: "legal:nda", step: "check", language: "ts", path: "code/legal/nda/check.ts" },
    })
    expect(codePathOf("legal:nda", "check")).toBe("code/legal/nda/check.ts")
    expect(codePathOf("review", "a.b", "js")).toBe("code/review/a.b.js")
    expect(codeIdOf("legal:nda", "check")).toBe("legal:nda/check")
  })

  test("[F5] a handler beside its flow's own file is the same handler", () => {
    expect(codePlace("flows/legal/nda/check.js")).toEqual({
      ok: true,
      value: { flow: "legal:nda", step: "check", language: "js", path: "code/legal/nda/check.js" },
    })
  })

  test.for([
    ["code/check.ts", "a handler is a file"],
    ["agents/f/check.ts", "a handler is a file"],
    ["code/f/check.py", "ends in .ts or .js"],
    ["code/f/check", "ends in .ts or .js"],
    ["code/f/types.d.ts", "declarations"],
    ["code/f/.ts", "no id of a step"],
    ["code/f/a..b.ts", "no id of a step"],
    ["code/f/constructor.ts", "no id of a step"],
    ["code/a:b/c.ts", "no flow"],
    ["code/__proto__/c.ts", "no flow"],
    ["code/../c.ts", "write it as"],
    ["code/../../c.ts", "leads out"],
    ["/code/f/c.ts", "write it as"],
    ["code/f%2fg/c.ts", "percent"],
    ["code//f/c.ts", "write it as"],
  ])("[F24] %s is no place of a handler", ([path, why]) => {
    expect(codePlace(path ?? "")).toEqual({ ok: false, error: expect.stringContaining(why ?? "") })
  })
})
