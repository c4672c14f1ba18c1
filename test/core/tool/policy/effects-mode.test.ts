// The mode of a run's effects: what its start asks for, and the floor of the policy.

import { describe, expect, test } from "vitest"
import { effectsMode } from "../../../../src/core/tool/policy/effects-mode.ts"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"
import { DEFAULT_POLICY, type Policy } from "../../../../src/core/tool/policy/policy.ts"
import { startOf } from "../../../../src/engine/run/begin/start.ts"

const policy: Policy = {
  ...DEFAULT_POLICY,
  effects: [
    { flows: "pay*", mode: "dry" },
    { flows: "*/test", mode: "live" },
    { flows: "mail", mode: "staged" },
  ],
}

describe("the effects of a run", () => {
  test("[K30] a run is live unless its start says otherwise", () => {
    expect(effectsMode(DEFAULT_POLICY, ["f"])).toBe("live")
    for (const mode of ["live", "staged", "dry"] as const) expect(effectsMode(DEFAULT_POLICY, ["f"], mode)).toBe(mode)
  })

  test("[K30] the policy is a floor: the strictest rule that matches, or the start when it is stricter still", () => {
    expect(effectsMode(policy, ["payroll"], "live")).toBe("dry")
    expect(effectsMode(policy, ["mail"], "live")).toBe("staged")
    expect(effectsMode(policy, ["mail"], "dry")).toBe("dry")
    expect(effectsMode(policy, ["a/test"], "staged")).toBe("staged")
    expect(effectsMode(policy, ["other"], "live")).toBe("live")
  })

  test("[K30] a floor for a child flow is a floor for the run that may start it, because children have its mode", () => {
    expect(effectsMode(policy, ["main", "payroll"], "live")).toBe("dry")
  })

  test("[K30] a start under the floor is journaled with the stricter mode, a live one without any", () => {
    const pins = { revision: 1, flow: { id: "mail", hash: "h" }, agents: {}, skills: {}, models: {} }
    const ground = { flow: { id: "mail", autonomous: true }, pins, rehearsed: false, rules: { policy, scopes: [], version: 1 } }
    const wish = { tenant: "t", run: "r", task: "", inputs: {}, trigger: { kind: "api" } } as const
    expect(startOf(ground, { ...wish, effects: "live" }).effects).toBe("staged")
    expect("effects" in startOf({ ...ground, flow: { id: "other", autonomous: true } }, wish)).toBe(false)
  })

  test.each([
    [{ effects: "dry" }, "/effects"],
    [{ effects: [{ flows: "f" }] }, "/effects/0/mode"],
    [{ effects: [{ mode: "dry" }] }, "/effects/0/flows"],
    [{ effects: [{ flows: "f", mode: "wet" }] }, "/effects/0/mode"],
    [{ effects: [{ flows: "f", mode: "dry", more: 1 }] }, "/effects/0/more"],
  ])("[K30] the policy %j is refused at %s", (body, pointer) => {
    const read = parsePolicy(body)
    expect(read.ok ? [] : read.error.map((f) => f.pointer)).toContain(pointer)
  })
})
