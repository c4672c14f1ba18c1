// What a right file becomes: defaults, orders, types. What a wrong one earns is in the fixtures.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { parseSkill } from "../../../../src/core/language/parse-skill.ts"
import { amount } from "../../../support/amount.ts"
import { catalog, fixtures, WORLD } from "../../../support/kernel/fixtures.ts"

const agents = catalog()
const valid = new Map(fixtures("flows/valid").map((f) => [f.name, f.text]))
const flowOf = (name: string) => parseFlow(valid.get(name) ?? "", `ns:${name}`).flow
const agentOf = (head: string, body = "${{task}}") => parseAgent(`---\nname: a\ndescription: d\nmodel: "@fast"\n${head}---\n${body}`, WORLD)

describe("a flow", () => {
  test("[F5] takes its id from the path, not from its name", () => {
    expect(flowOf("linear")).toMatchObject({ id: "ns:linear", name: "linear" })
  })

  test("[F10] has its fields, with the defaults filled in", () => {
    expect(flowOf("linear")).toEqual({
      id: "ns:linear",
      name: "linear",
      description: "two steps, the second reads the first",
      inputs: {
        topic: { type: "string", required: true, description: "what it is about" },
        count: { type: "number", required: false, default: 3 },
      },
      outputs: { text: "${{result.second.summary}}" },
      config: { tone: "dry", limits: [1, 2] },
      max_concurrent: 2,
      task_required: true,
      task_prompt: "What shall be written?",
      autonomous: true,
      timeout: 3_600_000,
      steps: [
        {
          id: "first",
          type: "agent",
          agent: "scorer",
          blockedBy: [],
          inputs: {},
          task: "Score ${{flow.input.topic}} ${{flow.input.count}} times",
          timeout: 90_000,
          retry: { max: 2, backoff: 5000 },
        },
        {
          id: "second",
          type: "agent",
          agent: "needy",
          blockedBy: ["first"],
          inputs: { doc: "${{result.first}} and ${{ result.first.score }}", tone: "${{config.tone}}" },
          model: "@fast:low",
          task: "Run ${{run.id}} from ${{trigger.headers.from.deep.inside}}:\nwrite $${{task}} as it is, then ${{task}}\n",
        },
      ],
    })
    expect(parseFlow("name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: x, retry: { max: 1 } }\n", "n").flow).toEqual({
      id: "n",
      name: "n",
      description: "d",
      inputs: {},
      config: {},
      max_concurrent: 4,
      task_required: false,
      autonomous: true,
      steps: [{ id: "a", type: "agent", agent: "x", blockedBy: [], inputs: {}, retry: { max: 1, backoff: 1000 } }],
    })
  })

  test("[F21] is not autonomous if only a person can decide its fork, unless the file says so", () => {
    expect(flowOf("fork-and-condition")?.autonomous).toBe(false)
    expect(parseFlow((valid.get("fork-and-condition") ?? "").replace("steps:", "autonomous: true\nsteps:"), "n").flow?.autonomous).toBe(
      true,
    )
    expect(
      parseFlow((valid.get("fork-and-condition") ?? "").replace("    options:", "    agent: judge\n    options:"), "n").flow?.autonomous,
    ).toBe(true)
  })

  test("[F20] keeps its labels in file order, even labels that look like numbers", () => {
    const { flow } = parseFlow(
      "name: n\ndescription: d\nsteps:\n  - { id: d, type: agent-decision, agent: j, branches: { zeta: a, 10: b, yes: a, 2: b } }\n",
      "n",
    )
    expect(flow?.steps[0]).toMatchObject({
      branches: [
        { label: "zeta", target: "a" },
        { label: "10", target: "b" },
        { label: "yes", target: "a" },
        { label: "2", target: "b" },
      ],
    })
  })

  test("[F22] checks artifacts unless it says otherwise, and knows ids that hold a dot", () => {
    const check = (text: string) =>
      parseFlow(
        `name: n\ndescription: d\nsteps:\n  - { id: a.b, type: agent, agent: x }\n  - { id: c, type: conditional, check: ${text}, present: d, absent: d }\n  - { id: d, type: agent, agent: x }\n`,
        "n",
      ).flow?.steps[1]
    expect(check("a.b")).toMatchObject({ check: { step: "a.b", field: "artifacts" } })
    expect(check("a.b.status")).toMatchObject({ check: { step: "a.b", field: "status" } })
    expect(check("d")).toMatchObject({ check: { step: "d", field: "artifacts" } })
  })

  test("[F4] infers the seed's types in the reference's order", () => {
    const typeOf = (fields: string) => parseFlow(`name: n\ndescription: d\nsteps:\n  - { id: a, ${fields} }\n`, "n").flow?.steps[0]?.type
    expect(typeOf("agent: x")).toBe("agent")
    expect(typeOf("agent: x, branches: { p: a, q: a }")).toBe("agent-decision")
    expect(typeOf("question: q, options: [p], branches: { p: a }, agent: x")).toBe("fork")
    expect(typeOf("check: a, present: a, absent: a")).toBe("conditional")
    expect(typeOf("agent: x, task: t, loop_target: a, exit_target: a, max_iterations: 1")).toBe("agent-loop-decision")
  })

  test("[F1] whatever is done to its text, nothing throws and every diagnostic has a place in it", () => {
    const texts = [...valid.values(), ...fixtures("flows/invalid").map((f) => f.text)]
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(12),
      put: fc.constantFrom(
        "",
        " ",
        "\n",
        ":",
        ": ",
        "- ",
        "[",
        "}",
        "'",
        '"',
        "|",
        "@",
        "&x",
        "\t",
        "${{",
        "__proto__: 1\n",
        "null",
        "[]",
        "{}",
        "~",
        "9e99",
      ),
    })
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
        let broken = text
        for (const { at, cut, put } of edits) {
          const i = Math.floor(at * broken.length)
          broken = broken.slice(0, i) + put + broken.slice(i + cut)
        }
        const { flow, diagnostics } = validateFlow(broken, "n", { agents })
        const lines = broken.split("\n").length
        for (const d of diagnostics) expect(d.line >= 1 && d.line <= lines && d.message !== "").toBe(true)
        expect(flow === undefined).toBe(diagnostics.some((d) => d.severity === "error"))
        parseAgent(broken, WORLD)
        parseSkill(`---\n${broken}`, "x")
      }),
      { numRuns: amount(1500, 500) },
    )
  })
})

test("[F2] a text that YAML reads as something else is suggested in quotes", () => {
  const { diagnostics } = parseFlow(
    `name: t
description: d
inputs: { zip: { type: string, default: 01234 }, n: { type: number, default: x } }
steps: [{ id: a, type: agent, agent: worker }]
`,
    "t",
  )
  expect(diagnostics.map(({ code, suggestion }) => [code, suggestion])).toEqual([
    ["FV-INPUT", 'default: "01234"'],
    ["FV-INPUT", "default: 3"],
  ])
})

describe("a step's session", () => {
  const parsed = (line: string) => parseFlow(`name: f\ndescription: d\nsteps:\n  - ${line}\n`, "f")

  test("[J25] an agent step may have one; other steps are warned that it is not theirs", () => {
    const { flow, diagnostics } = parsed('{ id: a, type: agent, agent: w, session: "n-${{task}}" }')
    expect([flow?.steps[0], diagnostics]).toEqual([expect.objectContaining({ session: "n-${{task}}" }), []])
    const other = parsed(
      "{ id: a, type: agent-loop-decision, agent: w, task: t, loop_target: a, exit_target: a, max_iterations: 1, session: x }",
    )
    expect(other.diagnostics.map((d) => d.code)).toContain("FV-UNKNOWN-KEY")
  })
})

describe("an agent", () => {
  test("[F50] has its fields, lists in any spelling", () => {
    const rich = fixtures("agents/valid").find((f) => f.name === "rich")
    const { agent } = parseAgent(rich?.text ?? "", { ...WORLD, file: "rich" })
    expect({ ...agent, body: "" }).toEqual({
      name: "rich",
      description: "Use when: every field is wanted",
      tools: { kind: "list", names: ["read", "write", "edit"] },
      model: "@planning",
      thinking: "high",
      skills: ["docs", "style"],
      inputs: ["doc", "tone"],
      outputs: [
        { name: "data", description: "the table", type: "object", required: true },
        { name: "maybe", type: "number", required: false },
        { name: "must", type: "string", required: true },
      ],
      card: { label: "Rich", metric: "files", role: "writer" },
      architect: { use_when: "every field is wanted", produces: "a table", domain: "test" },
      access: { read: ["docs/**", "notes/*.md"], write: ["out/**"] },
      role: "architect",
      finalizer: "finish",
      max_turns: 12,
      temperature: 0.3,
      max_output_tokens: 2000,
      body: "",
    })
    for (const tools of [
      "tools: read, grep\n",
      "tools: [read, grep]\n",
      "tools:\n  - read\n  - grep\n",
      "tools:\n- read\n- grep\n",
      "allowed_tools: read,grep\n",
    ])
      expect(agentOf(tools).agent?.tools).toEqual({ kind: "list", names: ["read", "grep"] })
  })

  test("[F53] no list grants nothing; denied_tools inherits, [] takes nothing away", () => {
    expect(agentOf("").agent?.tools).toEqual({ kind: "list", names: [] })
    expect(agentOf("").diagnostics.map((d) => `${d.severity} ${d.code}`)).toEqual(["warning AV-TOOLS"])
    expect(agentOf("tools: []\n").agent?.tools).toEqual({ kind: "list", names: [] })
    expect(agentOf("tools: []\n").diagnostics).toEqual([])
    expect(agentOf("denied_tools: []\n").agent?.tools).toEqual({ kind: "inherit", denied: [] })
    expect(agentOf("denied_tools: write\n").agent?.tools).toEqual({ kind: "inherit", denied: ["write"] })
    expect(agentOf("approved_tools: read\ndenied_tools: []\n").agent).toBeUndefined()
  })

  test("[F51] an output that is a bare name is optional; a type or a pattern makes it required", () => {
    expect(agentOf("tools: read\noutputs: [note]\n").agent?.outputs).toEqual([{ name: "note", type: "string", required: false }])
    expect(agentOf('tools: read\noutputs:\n  - { name: v, pattern: "^a$" }\n  - { name: d, description: text }\n').agent?.outputs).toEqual([
      { name: "v", type: "string", pattern: "^a$", required: true },
      { name: "d", description: "text", type: "string", required: false },
    ])
  })

  test("[F51] a pattern that cannot be matched in linear time is left out, its output stays required", () => {
    expect(agentOf('tools: read\noutputs:\n  - { name: v, pattern: "(?=a)" }\n').agent?.outputs).toEqual([
      { name: "v", type: "string", required: true },
    ])
  })

  test("[F51] an agent may end by the other finalizer; then its fields are taken as well", () => {
    expect(agentOf("tools: read\nfinalizer: subagent_finalize\n").agent?.finalizer).toBe("subagent_finalize")
    const codes = (head: string) => agentOf(`tools: read\n${head}`).diagnostics.map((d) => d.code)
    expect(codes("outputs: [result, error]\n")).toEqual([])
    expect(codes("finalizer: subagent_finalize\noutputs: [result, error]\n")).toEqual(["AV-OUTPUT-RESERVED", "AV-OUTPUT-RESERVED"])
    expect(codes("finalizer: shout\n")).toEqual(["AV-FIELD"])
  })

  test("[F52] the model is kept without its thinking suffix; `thinking:` wins over it", () => {
    const model = (head: string) => {
      const { agent } = parseAgent(`---\nname: a\ndescription: d\ntools: read\n${head}---\n\${{task}}`, WORLD)
      return [agent?.model, agent?.thinking]
    }
    expect(model("model: a/b:low\n")).toEqual(["a/b", "low"])
    expect(model("model: a/b:low\nthinking: high\n")).toEqual(["a/b", "high"])
    expect(model("model: llama:8b\n")).toEqual(["llama:8b", undefined])
    expect(model('model: "@fast"\nthinking: off\n')).toEqual(["@fast", "off"])
    expect(model("")).toEqual([undefined, undefined])
  })

  test("[G7] an access list that is there but empty is kept: it lets nothing through", () => {
    expect(agentOf("tools: read\naccess: { read: [], write: }\n").agent?.access).toEqual({ read: [], write: [] })
    expect(agentOf("tools: read\n").agent?.access).toEqual({})
  })

  test("[F2] diagnostics of the body point into the file, with any line ends", () => {
    for (const eol of ["\n", "\r\n"]) {
      const text = ["---", "name: a", "description: d", "tools: read", 'model: "@fast"', "---", "", "one", "  ${{nope.x}} ${{task}}"].join(
        eol,
      )
      expect(parseAgent(text, WORLD).diagnostics.map((d) => [d.code, d.line, d.column])).toEqual([["AV-TPL-PREFIX", 9, 3]])
    }
  })

  test("[F54a] the judge's agents load", () => {
    for (const tools of ["tools: read, subagent, agent_write, flow_write\n", "tools: skill_read\n", "tools: ask_user\n"])
      expect(agentOf(tools).agent).toBeDefined()
    expect(agentOf("tools: read, subagent, agent_write\n").diagnostics.map((d) => `${d.severity} ${d.code}`)).toEqual([
      "warning AV-TOOL-ROLE",
      "warning AV-TOOL-ROLE",
    ])
    expect(agentOf("tools: agent_catalog, flow_write\nrole: architect\n").diagnostics).toEqual([])
  })
})

describe("a skill", () => {
  const text = "---\nname: docs\ndescription: reference\nfiles:\n  - api.md\n  - notes/more.md\n---\nINDEX\n"

  test("[F60] keeps its whole text, and `files` as its allow-list", () => {
    expect(parseSkill(text, "docs")).toEqual({
      skill: { name: "docs", description: "reference", files: ["api.md", "notes/more.md"], text },
      diagnostics: [],
    })
    expect(parseSkill("---\nname: docs\ndescription: reference\n---\n", "docs").skill?.files).toBeUndefined()
  })

  test("[F60] its name is its folder's, and safe", () => {
    const codes = (t: string, name: string) => parseSkill(t, name).diagnostics.map((d) => `${d.line} ${d.severity} ${d.code}`)
    expect(codes(text, "other")).toEqual(["2 error SV-NAME-FOLDER"])
    expect(codes(text.replace("name: docs", "name: ../docs"), "docs")).toEqual(["2 error SV-NAME"])
    expect(codes("no fence", "docs")).toEqual(["1 error SV-FM-MISSING"])
    expect(codes("---\nfiles: [../up.md, /abs.md, ok.md]\n---\n", "docs")).toEqual([
      "1 error SV-DESC",
      "1 error SV-NAME",
      "2 error SV-FILE",
      "2 error SV-FILE",
    ])
  })

  test("[F60] the standard's limits are warnings", () => {
    const long = parseSkill(`---\nname: My_Skill\ndescription: ${"x".repeat(1100)}\n---\n${"line\n".repeat(600)}`, "My_Skill")
    expect(long.skill).toBeDefined()
    expect(long.diagnostics.map((d) => `${d.line} ${d.severity} ${d.code}`)).toEqual([
      "2 warning SV-STANDARD",
      "3 warning SV-STANDARD",
      "5 warning SV-STANDARD",
    ])
  })
})
