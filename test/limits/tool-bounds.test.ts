// Every argument of a built-in tool has a greatest size [G6]: in the tool's own schema, which the model reads and the guard judges by.

import { describe, expect, test } from "vitest"
import { MAX_ARG_BYTES } from "../../src/core/schema/arg-value.ts"
import { validateArgs } from "../../src/core/schema/validate-args.ts"
import { isObject } from "../../src/core/json.ts"
import { specsFor } from "../../src/tools/toolbox.ts"
import { unboundedMembers } from "./unbounded-members.ts"

const SPECS = new Map(["worker" as const, "open" as const].flatMap((shell) => [...specsFor(shell)]))

/** Any JSON, as the kind of a plan or a foreign server requires it; and names, for which not every provider knows a keyword. What bounds
 *  them is the size and the depth of a call's arguments together. */
const WHOLE: ReadonlySet<string> = new Set([
  "web.fetch body: a list without maxItems",
  "web.fetch body: an object without maxProperties",
  "web.fetch body: names without maxLength",
  "web.fetch body.*: any value",
  "web.fetch headers: names without maxLength",
  "subagent inputs: names without maxLength",
  "storePlan body: an object without maxProperties",
  "storePlan body: names without maxLength",
  "storePlan body.*: any value",
])

describe("arguments of built-in tools", () => {
  const open = [...SPECS].flatMap(([tool, { parameters }]) => unboundedMembers(parameters).map((member) => `${tool} ${member}`))

  test("[G6] each is bounded, or is any JSON within the size of all arguments", () => {
    expect(open.filter((member) => !WHOLE.has(member))).toEqual([])
    expect([...WHOLE].filter((member) => !open.includes(member))).toEqual([])
  })

  const texts = [...SPECS].flatMap(([tool, { parameters }]) =>
    Object.entries(isObject(parameters["properties"]) ? parameters["properties"] : {}).flatMap(([name, member]) =>
      isObject(member) && typeof member["maxLength"] === "number" && member["maxLength"] < MAX_ARG_BYTES - 100
        ? [[tool, name, member["maxLength"], parameters] as const]
        : [],
    ),
  )

  test.each(texts)("[G6] %s: %s beyond its bound is refused with its place and its limit", (_, name, most, parameters) => {
    const judged = validateArgs(parameters, { [name]: "x".repeat(most + 1) })
    const faults = judged.ok ? [] : judged.error
    expect(faults.find(({ path }) => path === `/${name}`)?.message).toContain(String(most))
  })

  test.each([...SPECS.keys()])("[G6] %s: arguments of more than 256 KiB, or deeper than 64 levels, are refused", (tool) => {
    const { parameters = {} } = SPECS.get(tool) ?? {}
    const deep: unknown = JSON.parse(`${"[".repeat(65)}${"]".repeat(65)}`)
    for (const value of ["x".repeat(MAX_ARG_BYTES), deep]) {
      const judged = validateArgs(parameters, { body: value })
      expect(judged.ok ? "fits" : judged.error[0]?.message).toMatch(/larger than 256 KiB|deeper than 64 levels/)
    }
  })
})
