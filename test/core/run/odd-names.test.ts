// Names that JavaScript's objects have of themselves are names like others: outputs, inputs, steps, branches, config [F51].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compile } from "../../../src/core/run/plan.ts"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { validateFlow } from "../../../src/core/language/check-flow.ts"
import { view } from "../../../src/core/run/views/view.ts"
import { roundTrip, call, Shell } from "../../support/kernel/shell.ts"

// What objects, functions and promises have, as names of outputs.
const ODD = [
  ...new Set([
    ...Object.getOwnPropertyNames(Object.prototype),
    ...Object.getOwnPropertyNames(Function.prototype),
    "then",
    "prototype",
    "toJSON",
  ]),
].filter((name) => /^[A-Za-z][A-Za-z0-9_]*$/.test(name))
const name = fc.constantFrom(...ODD)

// [F1] refuses these as keys, so no step could set an input of this name.
const NO_KEY = ["constructor", "prototype"]

function agentText(odd: string): string {
  const inputs = NO_KEY.includes(odd) ? "" : `inputs: ["${odd}"]\n`
  return `---\nname: a\ndescription: d\nmodel: "@fast"\ntools: [look]\n${inputs}outputs:\n  - { name: "${odd}", type: string, required: true }\n---\n\${{task}}\n`
}

describe("an odd name", () => {
  test.each(ODD)("[F51] %s works as an output and an input, in templates, conditions and outputs", (odd) => {
    const { agent: worker, diagnostics } = parseAgent(agentText(odd), { tools: new Set(["look"]), skills: new Set() })
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([])
    if (!worker) throw new Error("the agent does not load")
    const text = JSON.stringify({
      name: "f",
      description: "d",
      outputs: { it: `\${{result.s.${odd}}}` },
      steps: [
        { id: "s", type: "agent", agent: "a", task: "one" },
        { id: "c", type: "conditional", check: `s.${odd}`, present: "t", absent: "n" },
        { id: "t", type: "agent", agent: "a", task: `[\${{result.s.${odd}}}]`, on_complete: "end" },
        { id: "n", type: "agent", agent: "a", task: "absent" },
        { id: "end", type: "agent", agent: "a", task: "end" },
      ],
    })
    const checked = validateFlow(text, "f", { agents: new Map([["a", worker]]) })
    expect(checked.diagnostics.filter((d) => d.severity === "error")).toEqual([])
    if (!checked.flow) throw new Error("the flow does not load")
    const shell = new Shell(compile({ flow: checked.flow, agents: { a: worker }, skills: {}, tools: [] }))
    const done = (value?: string) =>
      call(
        "finish",
        JSON.parse(`{"status":"complete","summary":"s"${value === undefined ? "" : `,${JSON.stringify(odd)}:${JSON.stringify(value)}`}}`),
      )
    shell.reply("s", done())
    expect(shell.events("finish.rejected")[0]?.errors).toMatchObject([{ path: expect.stringContaining(odd) }])
    shell.reply("s", done("the value"))
    expect(shell.state("t").session?.task).toBe("[the value]")
    shell.reply("t", done("x"))
    shell.reply("end", done("y"))
    expect(shell.run.status).toBe("succeeded")
    expect(shell.run.output).toEqual({ it: "the value" })
    const outputs: unknown = roundTrip(view(shell.run)).steps?.["s"]
    expect(JSON.stringify(outputs)).toContain(`${JSON.stringify(odd)}:"the value"`)
    expect(shell.refolded().steps["s"]?.result).toEqual(shell.run.steps["s"]?.result)
  })

  test("[F51] an output that is not given is empty, whatever its name", () => {
    fc.assert(
      fc.property(name, (odd) => {
        const { agent: worker } = parseAgent(
          `---\nname: a\ndescription: d\nmodel: "@fast"\ntools: [look]\noutputs: [${odd}]\n---\n\${{task}}\n`,
          {
            tools: new Set(["look"]),
            skills: new Set(),
          },
        )
        const steps = [
          { id: "s", type: "agent", agent: "a", task: "one" },
          { id: "c", type: "conditional", check: `s.${odd}`, present: "t", absent: "n" },
          { id: "t", type: "agent", agent: "a", task: "present" },
          { id: "n", type: "agent", agent: "a", task: `[\${{result.s.${odd}}}]` },
        ]
        const { flow } = validateFlow(JSON.stringify({ name: "f", description: "d", steps }), "f", {
          agents: new Map(worker ? [["a", worker]] : []),
        })
        if (!flow || !worker) throw new Error("does not load")
        const shell = new Shell(compile({ flow, agents: { a: worker }, skills: {}, tools: [] }))
        shell.reply("s", call("finish", { status: "complete", summary: "s" }))
        expect(shell.state("n").session?.task).toBe("[]")
      }),
    )
  })

  test.each(ODD.filter((odd) => !NO_KEY.includes(odd)))(
    "[F18] %s works as the id of a step, a label, an input of the flow and an agent",
    (odd) => {
      const text = JSON.stringify({
        name: "f",
        description: "d",
        steps: [
          { id: odd, type: "agent-decision", agent: odd, task: "t", branches: { [`${odd}`]: "x", other: "y" } },
          { id: "x", type: "agent", agent: odd, task: `\${{result.${odd}.summary}}` },
          { id: "y", type: "agent", agent: odd, task: "y" },
        ],
      })
      const { agent: worker } = parseAgent(`---\nname: ${odd}\ndescription: d\nmodel: "@fast"\ntools: [look]\n---\n\${{task}}\n`, {
        tools: new Set(["look"]),
        skills: new Set(),
      })
      if (!worker) throw new Error("the agent does not load")
      const { flow, diagnostics } = validateFlow(text, "f", { agents: new Map([[odd, worker]]) })
      // [F1] refuses these as keys of YAML.
      if (["constructor", "prototype", "__proto__"].includes(odd)) return expect(diagnostics.map((d) => d.code)).toContain("FV-KEY")
      if (!flow) throw new Error(JSON.stringify(diagnostics))
      const shell = new Shell(compile({ flow, agents: { [odd]: worker }, skills: {}, tools: [] }))
      shell.reply(odd, call("finish", { status: "complete", summary: "so", branch: odd }))
      expect(shell.state("x").session?.task).toBe("so")
      shell.reply("x", call("finish", { status: "complete", summary: "so" }))
      expect(shell.run.status).toBe("succeeded")
    },
  )
})
