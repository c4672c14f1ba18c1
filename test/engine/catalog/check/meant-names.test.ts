import { describe, expect, test } from "vitest"
import { Catalog } from "../../../../src/engine/catalog/catalog.ts"
import { inTurn } from "../../../../src/engine/in-turn.ts"
import { specsFor, toolNames } from "../../../../src/tools/toolbox.ts"
import { FragileBlobs, MemoryRows } from "../../../support/engine/memory-catalog.ts"

const agent = (name: string, head = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: m/m\n${head || "tools: []\n"}---\n\${{task}}\n`
const flow = (name: string, steps = "  - { id: one, type: agent, agent: desk, task: t }\n"): string =>
  `name: ${name}\ndescription: d\nsteps:\n${steps}`
const DESK = { "desk.md": agent("desk") }
const SHOP = `openapi: ${JSON.stringify(
  JSON.stringify({
    openapi: "3.0.0",
    info: { title: "shop", version: "1" },
    servers: [{ url: "https://shop.example.com" }],
    paths: {
      "/refunds": {
        post: {
          operationId: "refund",
          description: "Pays an amount back to the customer.",
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } },
            },
          },
          responses: { 200: { description: "ok" } },
        },
      },
    },
  }),
)}\nprefix: shop.\n`

/** `path severity code suggestion`, without remarks on the files of the test itself. */
async function told(files: Parameters<Catalog["replace"]>[0]): Promise<readonly string[]> {
  const catalog = new Catalog({
    store: new MemoryRows(),
    blobs: new FragileBlobs(),
    builtins: {},
    tools: toolNames(),
    traits: () => [...specsFor("open").values()],
    inTurn: inTurn(),
  })
  const done = await catalog.replace(files, undefined, { by: "an admin", configures: true })
  if ("stale" in done) throw new Error("stale")
  return Object.entries(done.diagnostics).flatMap(([path, list]) =>
    list.map(({ severity, code, suggestion = "" }) => `${path} ${severity} ${code} ${suggestion}`),
  )
}

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
