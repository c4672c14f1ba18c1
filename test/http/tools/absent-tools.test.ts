// A tool that is not there: one status and one sentence wherever it is called or named [T25].

import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { compile } from "../../../src/core/run/plan.ts"
import { missingTools, shippedTraits } from "../../../src/cloudflare/capabilities/missing-tools.ts"
import { toolNames } from "../../../src/tools/toolbox.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../support/kernel/builders.ts"
import { call, Shell } from "../../support/kernel/shell.ts"
import { setUp } from "../../support/http/ask.ts"

const MISSING = new Map([["browser.navigate", "it needs a browser"]])
const SENTENCE = "The tool browser.navigate is not available here: it needs a browser."

describe("a tool that this instance lacks", () => {
  test("[T25] a call over the API is 503 not_configured with the reason", async () => {
    const { services, ask } = setUp()
    Object.assign(services, { missing: MISSING })
    const r = await ask("POST", "/v1/tools/browser.navigate", { body: {} })
    expect([r.status, r.body["code"], r.body["detail"]]).toEqual([503, "not_configured", SENTENCE])
  })

  test("[T25] a model's call is refused with the same sentence", () => {
    const agents = { worker: agentOf("worker", { tools: { kind: "list", names: ["look", "browser.navigate"] } }) }
    const shell = new Shell(compile({ flow: flowOf([agent("a")]), agents, skills: {}, tools: TOOLS, missing: MISSING }))
    shell.reply("a", call("browser.navigate", {}, "c1"))
    expect(shell.events("tool.refused")[0]).toMatchObject({ code: "undeclared", reason: `${SENTENCE} You may call: look, finish.` })
  })

  test("[T25] an agent that names it gets a warning with the same sentence, for every tool that needs a binding", () => {
    const traits = shippedTraits({}, "worker")
    const missing = missingTools({}, "worker")
    expect(missing.size).toBeGreaterThan(10)
    for (const [name, reason] of missing) {
      const { agent: read, diagnostics } = parseAgent(`---\nname: a\ndescription: d\nmodel: "@fast"\ntools: [${name}]\n---\n\${{task}}\n`, {
        tools: new Set(toolNames()),
        skills: new Set(),
        traits,
      })
      expect(read).toBeDefined()
      expect(diagnostics.filter((d) => d.code === "AV-TOOL")).toMatchObject([
        { severity: "warning", line: 5, message: expect.stringContaining(`The tool ${name} is not available here: ${reason}.`) },
      ])
    }
  })
})

describe("a tool that no one has", () => {
  test("[T25] a call over the API, and its definition, are 404 with the nearest name", async () => {
    const { ask } = setUp()
    const called = await ask("POST", "/v1/tools/agent_catalogs", { body: {} })
    expect([called.status, called.body["code"], called.body["detail"]]).toEqual([
      404,
      "not_found",
      'There is no tool "agent_catalogs" here; did you mean "agent_catalog"?',
    ])
    expect((await ask("GET", "/v1/tools/echos")).body["detail"]).toBe('There is no tool "echos" here; did you mean "echo"?')
  })

  test("[T25] a tool of agents is 404 with the reason", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/tools/read", { body: {} })).body["detail"]).toContain("only a session in a run can call it")
  })

  test.each([
    ["nope", "error"],
    ["mcp:crm:find", "warning"],
    ["mcp:crm:*", "warning"],
    ["mcp:crm", "error"],
  ])("[T27] an agent that names %s gets an %s: a server may bring its tools later", (name, severity) => {
    const { diagnostics } = parseAgent(`---\nname: a\ndescription: d\nmodel: "@fast"\ntools: ["${name}"]\n---\n\${{task}}\n`, {
      tools: new Set(toolNames()),
      skills: new Set(),
    })
    expect(diagnostics.filter((d) => d.code === "AV-TOOL")).toMatchObject([{ severity, line: 5 }])
  })
})
