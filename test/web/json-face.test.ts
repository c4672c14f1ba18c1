// A JSON document with two faces: one place changes, nothing else, and a fault goes when its value does.

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { completeJson } from "../../web/setup/json-complete.ts"
import { at, pathOf, pointerOf, standing, withAt } from "../../web/setup/json-face.ts"

const POLICY = { tools: { deny: ["bash"] }, autonomy: "wild" }

test("one place is changed, and what is taken out takes the empty objects around it", () => {
  expect(withAt(POLICY, ["tools", "allow"], ["read"])).toEqual({ ...POLICY, tools: { deny: ["bash"], allow: ["read"] } })
  expect(withAt(POLICY, ["tools", "deny"], undefined)).toEqual({ autonomy: "wild" })
  expect(withAt({ flows: [{ match: "a" }, { match: "b" }] }, ["flows", 0], undefined)).toEqual({ flows: [{ match: "b" }] })
  expect(withAt({ flows: [{ match: "a" }] }, ["flows", 0, "backtest", "last"], 5)).toEqual({
    flows: [{ match: "a", backtest: { last: 5 } }],
  })
  expect(at(POLICY, ["tools", "deny", 0])).toBe("bash")
})

test("a pointer leads through lists and escaped names, and back", () => {
  const value = { flows: [{ "a/b": 1 }] }
  expect(at(value, pathOf(value, "/flows/0/a~1b"))).toBe(1)
  expect(pointerOf(["flows", 0, "a/b"])).toBe("/flows/0/a~1b")
})

test("a fault stands as long as its value does", () => {
  const faults = [{ pointer: "/autonomy", message: "must be one of", was: "wild" }]
  expect(standing(faults, POLICY)).toHaveLength(1)
  expect(standing(faults, withAt(POLICY, ["autonomy"], "standard"))).toEqual([])
  expect(standing(faults, withAt(POLICY, ["tools", "deny"], ["x"]))).toHaveLength(1)
})

test("names and values are offered by the schema of the policy, those that are there left out", () => {
  const schema = JSON.parse(readFileSync("docs/schemas/policy.json", "utf8")) as Readonly<Record<string, unknown>>
  const labels = (upTo: string): readonly string[] => completeJson(schema, upTo).map(({ label }) => label)
  expect(labels('{ "tools": {}, "')).toEqual(expect.arrayContaining(["approvals", "autonomy", "network"]))
  expect(labels('{ "tools": {}, "')).not.toContain("tools")
  expect(labels('{ "autonomy": "')).toEqual(["conservative", "standard", "autonomous"])
  expect(labels('{ "tools": { "profile": ')).toContain("coding")
  expect(labels('{ "effects": [{ "mode": "')).toContain("staged")
  expect(completeJson(schema, '{ "autonomy": ').at(0)?.apply).toBe('"conservative"')
  expect(completeJson(schema, '{ "autonomy": "', '"}').at(0)?.apply).toBe("conservative")
  expect(completeJson(schema, '{ "net', "}").find(({ label }) => label === "network")?.apply).toBe('network": ')
  expect(labels('{ "tools": { "deny": ["')).toEqual([])
})
