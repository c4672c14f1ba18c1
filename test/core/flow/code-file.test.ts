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
    ["code/check.ts", "a handler's file is"],
    ["agents/f/check.ts", "a handler's file is"],
    ["code/f/check.py", "ends in .ts or .js"],
    ["code/f/check", "ends in .ts or .js"],
    ["code/f/types.d.ts", "declaration file"],
    ["code/f/.ts", "not a valid step id"],
    ["code/f/a..b.ts", "not a valid step id"],
    ["code/f/constructor.ts", "not a valid step id"],
    ["code/a:b/c.ts", "not a valid flow id"],
    ["code/__proto__/c.ts", "not a valid flow id"],
    ["code/../c.ts", "write it as"],
    ["code/../../c.ts", "leads out"],
    ["/code/f/c.ts", "write it as"],
    ["code/f%2fg/c.ts", "percent"],
    ["code//f/c.ts", "write it as"],
  ])("[F24] %s is not a handler path", ([path, why]) => {
    expect(codePlace(path ?? "")).toEqual({ ok: false, error: expect.stringContaining(why ?? "") })
  })
})
