// tool_search: registered tools that are too many to be listed are found, offered and judged as any other [T8].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import { DEFAULT_RULES, type Rules } from "../../../../src/core/tool/policy/policy.ts"
import { systemPrompt } from "../../../../src/core/run/session/conversation.ts"
import { MAX_TOOL_TOKENS, MOST_FOUND, MOST_SENT, searchTools, toolTokens } from "../../../../src/core/run/session/tool-search.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { toolSearch } from "../../../../src/tools/agents/tool-search.ts"
import { agent, agentOf, flowOf, planOf, tool } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const THINGS = ["invoice", "customer", "refund", "payout", "dispute", "coupon", "product", "price"]
const VERBS = ["create", "list", "delete", "update"]
const remote = (name: string, description: string, fill = 0): ToolSpec =>
  tool(name, name.startsWith("list") ? "read" : "write", {
    description: `${description}${" x".repeat(fill / 2)}`,
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false },
  })
const many = (fill: number): ToolSpec[] =>
  THINGS.flatMap((thing) => VERBS.map((verb) => remote(`${verb}_${thing}`, `${verb}s one ${thing} of the shop`, fill)))

function shop(tools: readonly ToolSpec[], more: Partial<Agent> = {}, rules: Rules = DEFAULT_RULES, options: object = {}): Shell {
  const names = tools.map((t) => t.name)
  const worker = agentOf("worker", { tools: { kind: "list", names: ["look", ...names] }, ...more })
  const plan = planOf(flowOf([agent("a")]), [worker], [...tools, toolSearch])
  const pinned = {
    revision: 1,
    flow: { id: "f", hash: "h" },
    agents: {},
    skills: {},
    models: {},
    tools: Object.fromEntries(names.map((n) => [n, "h"])),
  }
  return new Shell(plan, { rules, started: { pinned }, ...options })
}
const search = (shell: Shell, args: { query: string; limit?: number }): string[] =>
  searchTools(shell.run, shell.state("a"), args).map((t) => t.name)
/** Asks, and lets the tool answer. */
function find(shell: Shell, args: { query: string; limit?: number }): void {
  shell.reply("a", call("tool_search", args, "s1"))
  shell.returns("a", "s1")
}

describe("an agent with many registered tools", () => {
  test("[T8] up to MAX_TOOL_TOKENS tokens they are listed, beyond it the agent searches", () => {
    const weight = (fill: number): number => many(fill).reduce((n, t) => n + toolTokens(t), 0)
    let fill = 0
    while (weight(fill + 2) <= MAX_TOOL_TOKENS) fill += 2
    const light = shop(many(fill))
    expect(light.state("a").tools).toEqual(["look", ...many(0).map((t) => t.name), "finish"])
    expect(light.events("step.opened")[0]).not.toHaveProperty("searched")
    const heavy = shop(many(fill + 2))
    expect(heavy.state("a").tools).toEqual(["look", "finish", "tool_search"])
    expect(heavy.events("step.opened")[0]?.searched).toHaveLength(32)
  })

  test("[T8] more than a request holds are searched for, however small they are", () => {
    const small = (count: number): ToolSpec[] => Array.from({ length: count }, (_, i) => remote(`list_t${i}`, "x"))
    const full = shop(small(MOST_SENT - 3))
    expect(full.state("a").tools).toHaveLength(MOST_SENT - 1)
    expect(full.events("step.opened")[0]).not.toHaveProperty("searched")
    expect(shop(small(MOST_SENT - 2)).state("a").tools).toEqual(["look", "finish", "tool_search"])
    expect(shop(small(MOST_SENT - 2), { max_tool_tokens: 1_000_000 }).state("a").tools).toHaveLength(3)
  })

  test("[T8] of what was found the earliest give way, and can still be called", () => {
    const tools = Array.from({ length: 200 }, (_, i) => remote(`list_t${i}`, `page${Math.floor(i / MOST_FOUND)}`))
    const shell = shop(tools)
    for (let page = 0; page < 7; page++) {
      const id = `s${page}`
      shell.reply("a", call("tool_search", { query: `page${page}`, limit: MOST_FOUND }, id))
      shell.returns("a", id)
    }
    const after = shell.state("a").tools
    expect(after).toHaveLength(MOST_SENT - 1)
    expect(after.slice(0, 3)).toEqual(["look", "finish", "tool_search"])
    for (let i = 120; i < 140; i++) expect(after).toContain(`list_t${i}`)
    expect(after).not.toContain("list_t0")
    expect(shell.refolded().steps["a"]?.tools).toEqual(after)
    shell.reply("a", call("list_t0", { id: "x" }, "c1"))
    expect(shell.events("tool.called").map((e) => e.tool)).toContain("list_t0")
    shell.returns("a", "c1")
    expect(shell.state("a").tools).toContain("list_t0")
    expect(shell.state("a").tools).toHaveLength(MOST_SENT - 1)
  })

  test("[T8] max_tool_tokens of the agent replaces the bound", () => {
    expect(shop(many(0), { max_tool_tokens: 0 }).state("a").tools).toContain("tool_search")
    expect(shop(many(4_000), { max_tool_tokens: 1_000_000 }).state("a").tools).toHaveLength(34)
  })

  test("[T8] what is found is listed from then on, and the journal has the list", () => {
    const shell = shop(many(4_000))
    find(shell, { query: "refund a customer", limit: 3 })
    const [returned] = shell.events("tool.returned")
    expect(returned?.tools?.slice(0, 3)).toEqual(["look", "finish", "tool_search"])
    expect(returned?.tools).toHaveLength(6)
    expect(shell.state("a").tools).toEqual(returned?.tools)
    expect(shell.refolded().steps["a"]?.tools).toEqual(returned?.tools)
  })

  test("[T8] a crash between the search and its answer gives the same list", () => {
    const calm = shop(many(4_000))
    find(calm, { query: "coupons" })
    const stormy = shop(many(4_000), {}, DEFAULT_RULES, { snapshotEvery: 1 })
    stormy.reply("a", call("tool_search", { query: "coupons" }, "s1"))
    stormy.crash()
    stormy.returns("a", "s1")
    expect(stormy.state("a").tools).toEqual(calm.state("a").tools)
  })

  test("[T8] an allowed tool works without a search, and is listed from then on", () => {
    const shell = shop(many(4_000))
    shell.reply("a", call("list_refund", { id: "r" }, "c1"))
    expect(shell.events("tool.called").map((e) => e.tool)).toEqual(["list_refund"])
    shell.returns("a", "c1")
    expect(shell.state("a").tools).toContain("list_refund")
  })

  test("[T8] a call with wrong arguments shows the tool, so that the next one can be right", () => {
    const shell = shop(many(4_000))
    shell.reply("a", call("list_refund", { ids: 1 }, "c1"))
    expect(shell.events("tool.refused")[0]).toMatchObject({ code: "invalid_args" })
    expect(shell.state("a").tools).toContain("list_refund")
  })

  test("[T8] [T30] what the policy takes away is neither found nor called", () => {
    const rules: Rules = {
      ...DEFAULT_RULES,
      policy: { ...DEFAULT_RULES.policy, tools: { ...DEFAULT_RULES.policy.tools, deny: ["delete_*"] } },
    }
    const shell = shop(many(4_000), {}, rules)
    expect(search(shell, { query: "delete invoice", limit: 20 }).filter((name) => name.startsWith("delete"))).toEqual([])
    shell.reply("a", call("delete_invoice", { id: "i" }, "c1"))
    expect(shell.events("tool.refused")[0]).toMatchObject({ code: "policy" })
    expect(shell.state("a").tools).not.toContain("delete_invoice")
  })

  test("[T8] a tool of another agent is not found, and its refusal tells of the search", () => {
    const shell = shop(many(4_000))
    shell.reply("a", call("ghost", {}, "c1"))
    expect(shell.events("tool.refused")[0]?.reason).toContain("tool_search")
    expect(search(shell, { query: "ghost" })).toEqual([])
  })

  test("[T8] a search finds 5 tools, or up to MOST_FOUND, the best first", () => {
    const shell = shop(many(4_000))
    expect(search(shell, { query: "creating invoices" })[0]).toBe("create_invoice")
    expect(search(shell, { query: "shop" })).toHaveLength(5)
    expect(search(shell, { query: "shop", limit: 1_000 })).toHaveLength(MOST_FOUND)
    expect(search(shell, { query: "list_payout" })[0]).toBe("list_payout")
    expect(search(shell, { query: "zebra" })).toEqual([])
  })

  test("[T8] the prompt says how to search and names the first tools", () => {
    const shell = shop(many(4_000))
    const prompt = (s: Shell): string => systemPrompt(s.plan, s.state("a").session ?? ({ body: "", agent: "" } as never), undefined)
    expect(prompt(shell)).toContain("`tool_search`")
    expect(prompt(shell)).toContain("32 more tools")
    expect(prompt(shell)).toContain("create_invoice")
    expect(prompt(shop(many(0)))).not.toContain("tool_search")
    const long = shop(Array.from({ length: 500 }, (_, i) => remote(`tool_number_${i}`, "x".repeat(400))))
    expect(prompt(long).length).toBeLessThan(4_000)
    expect(prompt(long)).toContain(", ….")
  })

  test("[T8] any query and limit finds only tools that the session holds, each once", () => {
    const shell = shop(many(4_000))
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: "grapheme" }), fc.option(fc.nat(40), { nil: undefined }), (query, limit) => {
        const found = search(shell, { query, ...(limit === undefined ? {} : { limit }) })
        expect(new Set(found).size).toBe(found.length)
        expect(found.length).toBeLessThanOrEqual(Math.min(limit ?? 5, MOST_FOUND))
        for (const name of found) expect(shell.state("a").session?.searched).toContain(name)
      }),
    )
  })

  test("[T8] the agent still ends by finish", () => {
    const shell = shop(many(4_000))
    find(shell, { query: "refund" })
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })
})
