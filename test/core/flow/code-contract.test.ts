import { describe, expect, test } from "vitest"
import { checkContract, codeSummary } from "../../../src/core/flow/code-contract.ts"
import type { Json } from "../../../src/core/json.ts"

const contract = { outputs: ["total", "why"] }
const decision = { outputs: ["score"], branches: ["ok", "bad"] }
const fault = (said: Parameters<typeof checkContract>[0], value: Json): string => {
  const result = checkContract(said, value)
  return result.ok ? "" : result.error
}

describe("code contract", () => {
  test("[F24] exactly the declared outputs, of any JSON type, in the order of the declaration", () => {
    expect(checkContract(contract, { why: null, total: [1] })).toEqual({ ok: true, value: { outputs: { total: [1], why: null } } })
    expect(checkContract({ outputs: [] }, {})).toEqual({ ok: true, value: { outputs: {} } })
  })

  test("[F25] a decision's branch is one of its labels, and is not among the outputs", () => {
    expect(checkContract(decision, { score: 1, branch: "ok" })).toEqual({ ok: true, value: { outputs: { score: 1 }, branch: "ok" } })
  })

  test("[F24] every key at fault is named at once, with the likely name", () => {
    expect(fault(contract, { totl: 1, why: "x" })).toBe(
      'the output is missing "total"; it has "totl", which is not declared (did you mean "total"?). It must have exactly the keys "total", "why"',
    )
    expect(fault({ outputs: [] }, { a: 1, b: 2 })).toContain('has "a", "b", which are not declared')
  })

  test("[F24] a code step must not return a branch, or a value that is not an object", () => {
    expect(fault(contract, { total: 1, why: "", branch: "ok" })).toContain('has "branch", which is not declared')
    for (const [value, kind] of [
      [null, "null"],
      [[], "a list"],
      ["x", "a string"],
      [1, "a number"],
    ] as const)
      expect(fault(contract, value === null || typeof value !== "object" ? value : [...value])).toContain(`returned ${kind}`)
  })

  test("[F25] the message for a missing or unknown branch lists the labels", () => {
    expect(fault(decision, { score: 1 })).toContain('is missing "branch" (one of "ok", "bad")')
    expect(fault(decision, { score: 1, branch: "okay" })).toContain('has the branch "okay", which is none of "ok", "bad"')
    expect(fault(decision, { score: 1, branch: 1 })).toContain("has the branch 1")
  })

  test("[F24] a key that every object has is not thereby returned", () => {
    expect(fault({ outputs: ["constructor", "toString"] }, {})).toContain('is missing "constructor", "toString"')
    expect(fault(contract, JSON.parse('{"total":1,"why":2,"__proto__":3}'))).toContain('has "__proto__"')
  })

  test("[F24] a hundred wrong keys make a short message", () => {
    const value = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 1]))
    expect(fault({ outputs: [] }, value)).toContain("and 90 more")
  })

  test("[F24] a step without a summary names its outputs", () => {
    expect(codeSummary("check", { outputs: { a: 1, b: 2 } })).toBe('Step "check" returned a, b.')
    expect(codeSummary("check", { outputs: {}, branch: "ok" })).toBe('Step "check" returned no outputs, branch "ok".')
  })
})
