import { describe, expect, test } from "vitest"
import { agent, DESK, flow, SHOP, told } from "../../../support/engine/told.ts"

describe("a name that fits nothing, in every kind of file", () => {
  test("[F3] the flow of a schedule, its zone, tests and a rehearsal of a missing flow, and a flow's own name", async () => {
    const cron = 'cron: "0 2 * * *"\n'
    expect(
      await told({
        agents: DESK,
        flows: { "inbound.yaml": flow("inbund"), "inbond.rehearsal.yaml": "steps: {}\n" },
        schedules: { "a.yaml": `flow: inbond\n${cron}`, "b.yaml": `flow: inbound\n${cron}zone: Europe/Berln\n` },
        tests: { "inbounds.test.yaml": "cases: []\n" },
      }),
    ).toEqual([
      'flows/inbond.rehearsal.yaml error CAT-NO-FLOW did you mean "inbound"? Rename this file',
      'flows/inbound.yaml error FV-NAME-FILE did you mean "inbound"?',
      'schedules/a.yaml error PV-FLOW did you mean "inbound"?',
      'schedules/b.yaml error PV-VALUE did you mean "Europe/Berlin"?',
      'tests/inbounds.test.yaml error CAT-NO-FLOW did you mean "inbound"? Rename this file',
    ])
  })

  test("[F3] a misspelled key is refused where it is written; one that nobody could mean is a warning", async () => {
    const steps = "  - { id: one, type: agent, agent: desk, task: t, blockedby: [] , colour: red }\n"
    const head = "tools: []\noutput: [verdict]\nmode: all\n"
    const found = await told({ agents: { "desk.md": agent("desk", head) }, flows: { "f.yaml": flow("f", steps) } })
    expect(found).toEqual([
      'agents/desk.md error AV-MISSPELLED-KEY did you mean "outputs"?',
      "agents/desk.md warning AV-UNKNOWN-KEY remove it",
      'flows/f.yaml error FV-MISSPELLED-KEY did you mean "blockedBy"?',
      "flows/f.yaml warning FV-UNKNOWN-KEY remove it",
    ])
  })

  test("[Q4] an approval that reads an argument which the tool lacks is refused, with the path that was meant", async () => {
    const payer = (path: string): string =>
      agent(
        "desk",
        `tools: shop.refund\neffects: { after_untrusted: ask }\ntool_approvals: { shop.refund: { kind: dynamic, value: "${path} > 100" } }\n`,
      )
    const files = (path: string) => ({ agents: { "desk.md": payer(path) }, tools: { "shop.yaml": SHOP } })
    expect(await told(files("args.amount"))).toEqual(["agents/desk.md error AV-RULE did you mean args.body.amount?"])
    expect(await told(files("args.body.amout"))).toEqual(["agents/desk.md error AV-RULE did you mean args.body.amount?"])
    expect(await told(files("args.body.amount"))).toEqual([])
  })

  test("[F19] a loop around a step whose agent has a tool that changes something is a warning, which may be silenced", async () => {
    const steps = [
      "  - { id: one, type: agent, agent: desk, task: t }",
      "  - { id: again, type: agent-loop-decision, agent: judge, task: t, loop_target: one, exit_target: end, max_iterations: 2 }",
      "  - { id: end, type: agent, agent: judge, task: t }",
      "",
    ].join("\n")
    const files = (text: string) => ({
      agents: { "desk.md": agent("desk", "tools: shop.refund\neffects: { after_untrusted: ask }\n"), "judge.md": agent("judge") },
      flows: { "f.yaml": text },
      tools: { "shop.yaml": SHOP },
    })
    expect(await told(files(flow("f", steps)))).toEqual([expect.stringContaining("flows/f.yaml warning FV-LOOP-CHANGE")])
    expect(await told(files(`# sluice-allow FV-LOOP-CHANGE: refunds are idempotent\n${flow("f", steps)}`))).toEqual([
      expect.stringContaining("flows/f.yaml warning FV-LOOP-CHANGE"),
    ])
  })

  test("[F26c] a hook whose flow has a step that always asks is a warning; a read, and a step that allows it, is none", async () => {
    const HTTP = (method: string): string =>
      `description: The shop.\nparameters: { type: object, properties: {} }\nrequest: { method: ${method}, url: https://shop.example.com/x }\n`
    const files = (tool: string, more = "") => ({
      flows: { "f.yaml": flow("f", `  - { id: one, type: tool, tool: ${tool}${more} }\n`) },
      hooks: { "h.yaml": "flow: f\nkind: token\nsecret: in\n" },
      tools: { "get.yaml": HTTP("GET"), "put.yaml": HTTP("PUT"), "shop.yaml": SHOP },
    })
    const asks = async (tool: string, more?: string): Promise<readonly string[]> =>
      (await told(files(tool, more))).filter((line) => line.includes("PV-ASKS"))
    const warning = ["hooks/h.yaml warning PV-ASKS effects: { after_untrusted: allow } on the step, if its arguments may come from outside"]
    expect(await asks("put")).toEqual(warning)
    expect(await asks("shop.refund", ", args: { body: { amount: 3 } }")).toEqual(warning)
    expect(await asks("put", ", effects: { after_untrusted: allow }")).toEqual([])
    expect(await asks("get")).toEqual([])
    expect(await asks("write", ", args: { path: n.md, content: x }")).toEqual([])
  })
})

describe("a file of tools with errors", () => {
  const files = (tools: string) => ({
    agents: {
      "desk.md": agent("desk", `tools: shop.refund\ntool_approvals: { shop.refund: always }\neffects: { after_untrusted: ask }\n`),
    },
    flows: { "f.yaml": flow("f", "  - { id: one, type: tool, tool: shop.refund, args: { body: { amount: 1 } } }\n") },
    settings: { "policy.yaml": "tools: { deny: [shop.refund] }\n" },
    tools: { "shop.yaml": tools },
  })

  test("[F3] is the only error: what names its tools is told where to look", async () => {
    const found = await told(files(SHOP.replace("prefix:", "prefx:")))
    expect(found.filter((one) => one.includes(" error "))).toEqual(['tools/shop.yaml error PV-FIELD did you mean "prefix"?'])
    expect(found.filter((one) => one.endsWith("fix tools/shop.yaml"))).toEqual([
      "agents/desk.md warning AV-TOOL fix tools/shop.yaml",
      "agents/desk.md warning AV-TOOL fix tools/shop.yaml",
      "flows/f.yaml warning FV-TOOL fix tools/shop.yaml",
      "policy.yaml warning PV-NAME fix tools/shop.yaml",
    ])
  })

  test("[F3] hides no misspelled name of a tool that is there", async () => {
    const misspelled = { ...files("openapi: 5\n"), agents: { "desk.md": agent("desk", "tools: web.fetsh\n") } }
    expect((await told(misspelled)).filter((one) => one.startsWith("agents/"))).toEqual([
      'agents/desk.md error AV-TOOL did you mean "web.fetch"?',
    ])
  })
})

describe("a policy that denies what a file uses", () => {
  const denied = async (policy: string): Promise<readonly string[]> => {
    const found = await told({
      agents: { "desk.md": agent("desk", "tools: web.fetch, shop.refund\neffects: { after_untrusted: ask }\n") },
      flows: { "f.yaml": flow("f", "  - { id: one, type: tool, tool: shop.refund, args: { body: { amount: 1 } } }\n") },
      settings: { "policy.yaml": policy },
      tools: { "shop.yaml": SHOP },
    })
    return found.filter((one) => one.includes("PV-DENIES"))
  }
  const OF_AGENT = "policy.yaml warning PV-DENIES remove the rule, or shop.refund from the agent's tools"
  const OF_STEP = "policy.yaml warning PV-DENIES remove the rule, or the step"

  test("[T30] is a warning for each agent that lists the tool and each step that calls it", async () => {
    expect(await denied("tools: { deny: [bash] }\n")).toEqual([])
    expect(await denied("tools: { deny: [shop.refund] }\n")).toEqual([OF_AGENT, OF_STEP])
    expect(await denied('tools: { deny: ["shop.*"] }\n')).toEqual([OF_AGENT, OF_STEP])
    expect(await denied("denylist: [{ tool: shop.refund, reason: never }]\n")).toEqual([OF_AGENT, OF_STEP])
    expect(await denied('denylist: [{ tool: shop.refund, args: "9999", reason: never }]\n')).toEqual([])
  })

  test("[T30] an agent's own rules deny nothing to a step, and a profile denies what it leaves out", async () => {
    expect(await denied("tools: { agents: { desk: { deny: [shop.refund] } } }\n")).toEqual([OF_AGENT])
    expect(await denied("tools: { agents: { desk: { allow: [web.fetch] } } }\n")).toEqual([OF_AGENT])
    expect(await denied("tools: { profile: minimal }\n")).toEqual([OF_AGENT, OF_STEP])
  })
})

describe("a test that expects what no run can have", () => {
  const files = (expect: string) => ({
    agents: DESK,
    flows: {
      "f.yaml": `${flow("f")}  - { id: sort, type: agent-decision, agent: desk, task: t, branches: { yes: end, no: end } }\n  - { id: end, type: agent, agent: desk, task: t }\noutputs: { verdict: "\${{result.end.summary}}" }\n`,
    },
    tests: { "f.test.yaml": `cases: [{ name: a, expect: ${expect} }]\n` },
  })
  const lacks = async (expect: string): Promise<readonly string[]> => (await told(files(expect))).filter((one) => one.startsWith("tests/"))

  test("[K20] an output of the flow, an output of a step and a branch that are not there are warnings", async () => {
    expect(await lacks("{ output: { verdict: x }, branches: { sort: yes } }")).toEqual([])
    expect(await lacks("{ output: { verdcit: x, gone: null } }")).toEqual([
      'tests/f.test.yaml warning TV-OUTPUT did you mean "verdict"? known: verdict',
    ])
    expect(await lacks("{ branches: { sort: yess } }")).toEqual([expect.stringContaining('TV-OUTPUT did you mean "yes"?')])
    expect(await lacks("{ steps: { one: { outputs: { n: 1 } } } }")).toEqual([expect.stringContaining("TV-OUTPUT it has none")])
    expect(await lacks("{ output: { schema: { type: object } } }")).toEqual([])
  })
})
