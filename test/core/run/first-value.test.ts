// `${{a ?? b}}` [F40]: branches meet without a code step. What a skipped step would have written is absent, and never an empty text.

import { describe, expect, test } from "vitest"
import { validateFlow } from "../../../src/core/language/check-flow.ts"
import { proveFlow } from "../../../src/core/language/proof.ts"
import type { Step } from "../../../src/core/flow/flow.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, decision, flowOf, planOf } from "../../support/kernel/builders.ts"
import { catalog } from "../../support/kernel/fixtures.ts"
import { call, choose, finish, Shell } from "../../support/kernel/shell.ts"

const typed = agentOf("typed", {
  outputs: [
    { name: "text", type: "string", required: false },
    { name: "ok", type: "boolean", required: false },
    { name: "list", type: "array", required: false },
  ],
})
const branches = (...more: Step[]): Step[] => [
  decision("sort", { refund: "refund", question: "answer" }),
  agent("refund", { agent: "typed", on_complete: "join" }),
  agent("answer", { agent: "typed", on_complete: "join" }),
  agent("join", { task: "Tell: ${{result.refund.text ?? result.answer.text}}" }),
  ...more,
]

/** A run that took the branch `question`, whose step finished with these outputs. */
function met(outputs: Record<string, string>, said: JsonObject, steps: Step[] = branches()): Shell {
  const shell = new Shell(planOf(flowOf(steps, { outputs }), [typed]))
  shell.reply("sort", choose("question"))
  shell.reply("answer", finish(said))
  return shell
}

describe("at run time", () => {
  test("[F40] the step where branches meet is given what the branch that ran has written", () => {
    const shell = met({}, { text: "soon" })
    expect(shell.state("join").session?.task).toBe("Tell: soon")
  })

  test("[F40] an empty text is a value; a member that is missing or null is none", () => {
    const task = (said: JsonObject): string | undefined =>
      met({}, said, [...branches().slice(0, 3), agent("join", { task: "[${{result.answer.text ?? result.answer.summary}}]" })]).state(
        "join",
      ).session?.task
    expect([task({ text: "", summary: "S" }), task({ summary: "S" })]).toEqual(["[]", "[S]"])
  })

  test("[F40] outputs keep their JSON types, and one without a value is absent", () => {
    const shell = met(
      {
        ok: "${{result.refund.ok ?? result.answer.ok}}",
        list: "${{ result.refund.list ?? result.answer.list }}",
        refunded: "${{result.refund.ok}}",
        nothing: "${{result.refund.text ?? result.answer.text}}",
        note: "it is ${{result.refund.text ?? result.answer.text}}.",
        summary: "${{result.refund ?? result.answer ?? task}}",
      },
      { ok: false, list: [1, { a: 2 }], summary: "S" },
    )
    shell.reply("join", finish())
    expect(shell.run.output).toEqual({ ok: false, list: [1, { a: 2 }], note: "it is .", summary: "S" })
    expect(shell.events("warning").map(({ message }) => message)).toEqual([
      '${{result.refund.text ?? result.answer.text}} has no value in step "join"; it became the empty string',
      '${{result.refund.ok}} has no value in step "(outputs)"; it is left out',
      '${{result.refund.text ?? result.answer.text}} has no value in step "(outputs)"; it is left out',
      '${{result.refund.text ?? result.answer.text}} has no value in step "(outputs)"; it became the empty string',
    ])
  })

  test("[F24] an input of a code step without a value is absent", () => {
    const code: Step = {
      blockedBy: [],
      id: "c",
      type: "code",
      inputs: { a: "${{result.refund.ok}}", b: "${{result.refund.ok ?? result.answer.ok}}" },
      outputs: [],
    }
    const shell = met({}, { ok: true }, [...branches().slice(0, 3), { ...code, id: "join" }])
    expect(shell.state("join").values).toEqual({ b: true })
  })

  test("[F23h] a map chooses for each item, and its list may be the first of several", () => {
    const map: Step = {
      blockedBy: [],
      id: "join",
      type: "map",
      over: "${{result.refund.list ?? result.answer.list}}",
      do: "c",
      max_concurrent: 4,
      task: "${{item.name ?? item.id ?? index}}",
      inputs: { n: "${{item.count ?? index}}", gone: "${{item.gone}}" },
    }
    const shell = met({}, { list: [{ name: "A", count: 5 }, { id: 7, name: null }, {}] }, [...branches().slice(0, 3), map])
    const wishes = [...shell.flights.values()].flatMap((e) => (e.do === "start-child" ? [{ task: e.task, inputs: e.inputs }] : []))
    expect(wishes).toEqual([
      { task: "A", inputs: { n: 5 } },
      { task: "7", inputs: { n: 1 } },
      { task: "2", inputs: { n: 2 } },
    ])
  })
})

describe("[G11] what is chosen has its marks", () => {
  const page: ToolSpec = {
    name: "page",
    description: "page",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    effect: "read",
    untrusted: true,
    contexts: ["agent"],
  }
  const marked = agentOf("marked", { tools: { kind: "list", names: ["page"] }, outputs: typed.outputs })
  const joined = (task: string, said: JsonObject): boolean | undefined => {
    const steps = [agent("a", { agent: "marked" }), agent("b", { blockedBy: ["a"] }), agent("join", { blockedBy: ["b"], task })]
    const shell = new Shell(planOf(flowOf(steps), [marked], [page]))
    shell.reply("a", call("page", {}, "p1"))
    shell.returns("a", "p1")
    shell.reply("a", finish(said))
    shell.reply("b", finish({ summary: "clean" }))
    return shell.state("join").tainted
  }

  test("chosen, or passed over by whoever was marked: marked; behind the chosen one: not", () => {
    expect(joined("${{result.a.text ?? result.b}}", { text: "from a page" })).toBe(true)
    expect(joined("${{result.a.text ?? result.b}}", {})).toBe(true)
    expect(joined("${{result.b ?? result.a.text}}", { text: "from a page" })).not.toBe(true)
    expect(joined("${{result.b}}", { text: "from a page" })).not.toBe(true)
  })
})

describe("in a file", () => {
  const file = (task: string, more = ""): string => `name: f
description: d
inputs: { note: { type: string } }
config: { none: nothing }
steps:
  - { id: sort, type: agent-decision, agent: judge, branches: { refund: refund, question: answer, spam: close } }
  - { id: refund, type: agent, agent: worker, on_complete: join }
  - { id: answer, type: agent, agent: worker, on_complete: join }
  - { id: close, type: agent, agent: worker, on_complete: join }
  - id: join
    type: agent
    agent: worker
    task: ${task}
${more}`
  const checked = (task: string, more = ""): string[] =>
    validateFlow(file(task, more), "f", { agents: catalog() }).diagnostics.flatMap(({ code, message }) =>
      code === "FV-NAME" || code === "FV-IN-UNUSED" ? [] : [`${code} ${message}`],
    )

  test("[F54] each operand is checked", () => {
    expect(checked('"${{result.refnd ?? flow.input.nota ?? config.none}}"')).toEqual([
      'FV-REF-STEP step "join", task: result.refnd: the step "refnd" does not exist',
      'FV-REF-INPUT step "join", task: flow.input.nota: the flow has no input "nota"',
    ])
    expect(checked('"${{result.refund ?? nope.x}}"')).toEqual([
      'FV-TPL-PREFIX step "join", task: nope.x begins with "nope", which is not a template root',
    ])
    expect(checked('"${{result.refund ?? 5}}"')).toEqual(['FV-TPL-FORM step "join", task: 5 is a value, and a template inserts references'])
    expect(checked('"${{ ?? result.refund}}"')).toEqual([
      'FV-TPL-FORM step "join", task: ${{ ?? result.refund}} lacks a reference beside ??',
    ])
  })

  test("[F54] FV-REF-ORDER: not where ?? covers every way that leads there", () => {
    expect(checked('"${{result.refund}}"')).toEqual([expect.stringContaining("FV-REF-ORDER")])
    expect(checked('"${{result.refund ?? result.answer ?? result.close}}"')).toEqual([])
    expect(checked('"${{result.refund ?? config.none}}"')).toEqual([])
    expect(checked('"${{flow.input.note ?? result.refund}}"')).toEqual([])
    expect(checked('"${{result.refund ?? result.answer}}"')).toEqual([
      'FV-REF-ORDER step "join", task: result.answer: step "join" can be reached without any of these steps, and then there is no value',
    ])
  })

  test("[F40] FV-TPL-UNUSED: what has a value always needs no other", () => {
    expect(checked('"${{task ?? result.refund}}"')).toEqual([
      'FV-TPL-UNUSED step "join", task: task always has a value, so what follows its ?? is never used',
    ])
    expect(checked('"${{result.refund ?? task}}"')).toEqual([])
  })

  test("[F54c] the proof names a form that is empty on some path, and none that covers all", () => {
    const empties = (task: string): string[] => {
      const { flow } = validateFlow(file(task), "f", { agents: catalog() })
      return flow === undefined ? ["no flow"] : proveFlow(flow, { agents: catalog() }).empties.map(({ reference }) => reference)
    }
    expect(empties('"${{result.refund ?? result.answer}}"')).toEqual(["result.refund ?? result.answer"])
    expect(empties('"${{result.refund ?? result.answer ?? result.close}} ${{result.refund ?? config.none}}"')).toEqual([])
  })
})
