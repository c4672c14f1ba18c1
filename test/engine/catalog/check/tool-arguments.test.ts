// The arguments of a tool step are checked against the tool's schema when the flow is written, at every depth.

import { describe, expect, test } from "vitest"
import { DESK, flow, SHOP, told } from "../../../support/engine/told.ts"

const ITEMS = `description: Orders what the list says.
parameters:
  type: object
  required: [id, items]
  properties:
    id: { type: string, description: Of the order. }
    items: { type: array, description: What is ordered., items: { type: object, required: [count], properties: { count: { type: integer }, name: { type: string } } } }
    labels: { type: object, description: Any., additionalProperties: { type: string } }
request: { method: GET, url: https://shop.example.com/x }
`

const calls = async (args: string, tool = "shop.refund"): Promise<readonly string[]> => {
  const found = await told({
    agents: DESK,
    flows: {
      "f.yaml": flow("f", `  - { id: a, type: agent, agent: desk, task: t }\n  - { id: one, type: tool, tool: ${tool}, args: ${args} }\n`),
    },
    tools: { "shop.yaml": SHOP, "order.yaml": ITEMS },
  })
  return found.filter((one) => one.startsWith("flows/"))
}
const fault = (suggestion: string): string => `flows/f.yaml error FV-TOOL-ARGS ${suggestion}`

describe("[F26] the arguments of a tool step", () => {
  test("a number in quotes where a number is wanted, and the reverse, are errors with the line to write", async () => {
    expect(await calls("{ body: { amount: 12 } }")).toEqual([])
    expect(await calls('{ body: { amount: "12" } }')).toEqual([fault("amount: 12")])
    expect(await calls("{ id: 5, items: [] }", "order")).toEqual([fault('id: "5"')])
    expect(await calls('{ id: "5", items: [{ count: 1, name: 7 }] }', "order")).toEqual([fault('name: "7"')])
    expect(await calls('{ id: "5", items: [], labels: { a: true } }', "order")).toEqual([fault('a: "true"')])
  })

  test("what stands beside a template is checked as well", async () => {
    const filled = '"${{result.a.summary}}"'
    expect(await calls(`{ body: { amount: ${filled} } }`)).toEqual([])
    expect(await calls(`{ id: ${filled}, items: [{ count: ${filled}, name: 7 }] }`, "order")).toEqual([fault('name: "7"')])
    expect(await calls(`{ id: ${filled}, items: [{ name: ${filled} }] }`, "order")).toEqual([fault("{ count: … }")])
    expect(await calls(`{ id: x, items: [], labels: { a: ${filled}, b: 5 } }`, "order")).toEqual([fault('b: "5"')])
  })

  test("a member that is missing is named with the misspelled one that stands there", async () => {
    expect(await calls('{ body: { amuont: "${{result.a.summary}}" } }')).toEqual([fault("amount instead of amuont")])
    expect(await calls("{ body: {} }")).toEqual([fault("body: { amount: … }")])
  })
})
