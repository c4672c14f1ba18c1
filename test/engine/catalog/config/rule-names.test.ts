import { describe, expect, test } from "vitest"
import { Catalog } from "../../../../src/engine/catalog/catalog.ts"
import { checkAgent } from "../../../../src/engine/catalog/check/language.ts"
import { inTurn } from "../../../../src/engine/in-turn.ts"
import { FragileBlobs, MemoryRows } from "../../../support/engine/memory-catalog.ts"

const TOOLS = ["read", "write", "bash"]
const TOOL =
  "description: pays back\nparameters: { type: object, properties: {} }\nrequest: { method: POST, url: 'https://example.com/' }\n"
const agent = (name: string, head = ""): string => `---\nname: ${name}\ndescription: d\nmodel: m/m\ntools: read\n${head}---\n\${{task}}\n`
const FLOW = "name: support\ndescription: d\nautonomous: false\nsteps:\n  - { id: one, type: agent, agent: desk, task: t }\n"
const BY = { by: "an admin", configures: true } as const

const house = (): Catalog =>
  new Catalog({ store: new MemoryRows(), blobs: new FragileBlobs(), builtins: {}, tools: TOOLS, inTurn: inTurn() })

async function applied(files: Parameters<Catalog["replace"]>[0], catalog = house()) {
  const done = await catalog.replace(files, undefined, BY)
  if ("stale" in done) throw new Error("stale")
  const found = Object.entries(done.diagnostics).flatMap(([path, list]) =>
    list.map(({ code, severity, line, suggestion }) => ({ path, code, severity, line, suggestion })),
  )
  return { written: done.ok, found: found.filter(({ code }) => /-(?:NAME|RULE|TOOL)$/.test(code)) }
}

describe("rules of a project that name what is not there", () => {
  test("[T30b] in policy.yaml and gate.yaml they are refused at their lines, with the nearest name", async () => {
    const { written, found } = await applied({
      agents: { "desk.md": agent("desk") },
      flows: { "support.yaml": FLOW },
      settings: {
        "policy.yaml": "hooks:\n  confirm: [write, refundd]\ntools:\n  deny: [bahs, 'shopp.*']\n",
        "gate.yaml": "flows:\n  - match: suport\n",
      },
    })
    expect(written).toBe(false)
    expect(found).toEqual([
      { path: "gate.yaml", code: "PV-NAME", severity: "error", line: 2, suggestion: 'did you mean "support"?' },
      { path: "policy.yaml", code: "PV-NAME", severity: "error", line: 2, suggestion: expect.any(String) },
      { path: "policy.yaml", code: "PV-NAME", severity: "error", line: 4, suggestion: 'did you mean "bash"?' },
      { path: "policy.yaml", code: "PV-NAME", severity: "warning", line: 4, suggestion: expect.any(String) },
    ])
  })

  test("[T30b] a tool, an agent and a flow of the same write fit", async () => {
    const policy =
      "hooks: { confirm: [refund] }\ntools: { agents: { desk: { deny: [bash, refund] } } }\neffects: [{ flows: support, mode: staged }]\n"
    const files = { agents: { "desk.md": agent("desk", "tool_approvals: { refund: always }\n") }, flows: { "support.yaml": FLOW } }
    expect(await applied({ ...files, tools: { "refund.yaml": TOOL }, settings: { "policy.yaml": policy } })).toEqual({
      written: true,
      found: [],
    })
    const { written, found } = await applied({ ...files, settings: { "policy.yaml": policy } })
    expect(written).toBe(false)
    expect(found.map(({ path, code }) => `${path} ${code}`)).toEqual([
      "agents/desk.md AV-RULE",
      "policy.yaml PV-NAME",
      "policy.yaml PV-NAME",
    ])
  })

  test("[T30b] approvals and denials of an agent are refused where they are written, and go on working where they are stored", async () => {
    for (const head of ["tool_approvals: { wrte: always }\n", "denied_tools: bahs\n"]) {
      const text = agent("desk", head).replace(head.startsWith("denied") ? "tools: read\n" : "", "")
      const { written, found } = await applied({ agents: { "desk.md": text } })
      expect([written, found.map(({ code, severity }) => `${code} ${severity}`)]).toEqual([false, ["AV-RULE error"]])
      expect((await house().validate("agent", text)).map(({ code, severity }) => `${code} ${severity}`)).toContain("AV-RULE error")
      expect(checkAgent(text, "desk", TOOLS, []).value?.name).toBe("desk")
    }
  })

  test("[T30b] the policy and the gate of the API are judged against the catalog", async () => {
    const catalog = house()
    await applied({ agents: { "desk.md": agent("desk") }, flows: { "support.yaml": FLOW } }, catalog)
    const faults = await catalog.ruleFaults({ gate: { flows: [{ match: "suport" }, { match: "support" }] } })
    expect(faults).toEqual([expect.objectContaining({ pointer: "/flows/0/match", suggestion: 'did you mean "support"?' })])
  })
})
