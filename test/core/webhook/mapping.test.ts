// Turning a delivery into task and inputs [W1].

import { describe, expect, test } from "vitest"
import { given, MAX_GIVEN, readMapping, rendered, templateFaults } from "../../../src/core/webhook/mapping.ts"
import type { Payload } from "../../../src/core/webhook/payload.ts"

const payload: Payload = {
  headers: { "x-github-event": "issues" },
  body: { title: "TT", n: 7, labels: ["bug", "ui"], nothing: null, evil: "${{trigger.body.n}}", deep: { a: [{ b: true }] } },
  query: { src: "q1" },
}

describe("mapping", () => {
  test("[W1] text is filled from headers, body and query", () => {
    const task = "${{trigger.headers.x-github-event}} #${{trigger.body.n}} ${{trigger.query.src}} ${{trigger.body.deep.a.0.b}}"
    expect(given({ task }, payload)).toMatchObject({ ok: true, value: { task: "issues #7 q1 true" } })
  })

  test("[W1] a value that is exactly one reference keeps its JSON type", () => {
    const inputs = {
      n: "${{trigger.body.n}}",
      list: " ${{ trigger.body.labels }} ",
      text: "n=${{trigger.body.n}}",
      fixed: 3,
      none: "${{trigger.body.nothing}}",
    }
    expect(given({ inputs }, payload)).toMatchObject({
      ok: true,
      value: { task: "", inputs: { n: 7, list: ["bug", "ui"], text: "n=7", fixed: 3, none: null } },
    })
  })

  test("[W1] a lone reference without a value is an input not given", () => {
    const said = given({ inputs: { a: "${{trigger.body.missing}}", b: "x${{trigger.body.missing}}" } }, payload)
    expect(said).toMatchObject({ ok: true, value: { inputs: { b: "x" } } })
    expect(said.ok && Object.hasOwn(said.value.inputs, "a")).toBe(false)
  })

  test("[F40] a reference without a value leaves its text empty, and is named once", () => {
    const task = "Greet ${{trigger.body.sender.login}} (${{ trigger.body.sender.login }}, ${{trigger.body.nothing}}, ${{trigger.body.n}})."
    const inputs = { who: "${{trigger.query.who}}", src: "${{trigger.query.src}}", nil: "${{trigger.body.nothing}}" }
    const said = given({ task, inputs, thread: "${{trigger.headers.x-thread}}", files: { "a.txt": "${{trigger.body.file}}" } }, payload)
    expect(said).toMatchObject({ ok: true, value: { task: "Greet  (, , 7).", inputs: { src: "q1", nil: null } } })
    expect(said.ok && said.value.missing?.toSorted()).toEqual([
      "trigger.body.file",
      "trigger.body.nothing",
      "trigger.body.sender.login",
      "trigger.headers.x-thread",
      "trigger.query.who",
    ])
    const whole = given({ task: "${{trigger.body.n}} $${{trigger.body.none}}" }, payload)
    expect(whole.ok && "missing" in whole.value).toBe(false)
  })

  test("[F40] a mapping of many names the first twenty", () => {
    const task = Array.from({ length: 50 }, (_, i) => `\${{trigger.body.no${i}}}`).join("")
    const said = given({ task }, payload)
    expect(said.ok && said.value.missing).toHaveLength(20)
    const long = given({ task: `\${{trigger.body.${"x".repeat(10_000)}}}` }, payload)
    expect(long.ok && long.value.missing?.[0]?.length).toBe(100)
  })

  test("[W4] inserted text is never expanded again", () => {
    expect(given({ task: "${{trigger.body.evil}}" }, payload)).toMatchObject({ value: { task: "${{trigger.body.n}}" } })
  })

  test("[W1] only own properties of the body are found", () => {
    const task = "[${{trigger.body.constructor}}${{trigger.body.__proto__}}${{trigger.body.labels.length}}${{trigger.headers.toString}}]"
    expect(given({ task: task.replace("toString", "tostring") }, payload)).toMatchObject({ value: { task: "[]" } })
  })

  test("[W1] the size of task and inputs is limited", () => {
    const body = { t: "x".repeat(MAX_GIVEN - 10) }
    expect(given({ task: "${{trigger.body.t}}" }, { ...payload, body })).toMatchObject({ ok: true })
    expect(given({ task: "${{trigger.body.t}}${{trigger.body.t}}" }, { ...payload, body })).toMatchObject({ ok: false })
    expect(given({ task: "${{trigger.body.t}}", inputs: { a: "${{trigger.body.t}}" } }, { ...payload, body })).toMatchObject({ ok: false })
  })

  test.each([
    [{ tsk: "x" }, "/mapping/tsk", 'did you mean "task"?'],
    [{ task: 1 }, "/mapping/task", undefined],
    [{ task: "${{task}}" }, "/mapping/task", "${{trigger.body.FIELD}}"],
    [{ task: "${{secrets.X}}" }, "/mapping/task", "to keep it as literal text, write $${{"],
    [{ task: "${{trigger.boddy.x}}" }, "/mapping/task", 'did you mean "body"?'],
    [{ task: "${{trigger.kind}}" }, "/mapping/task", undefined],
    [{ inputs: { who: "${{config.a}}" } }, "/mapping/inputs/who", undefined],
    [{ inputs: { who: "${{trigger.headers.X-Event}}" } }, "/mapping/inputs/who", "${{trigger.headers.x-event}}"],
    [{ inputs: { who: "${{trigger.query}}" } }, "/mapping/inputs/who", undefined],
    [{ inputs: [] }, "/mapping/inputs", undefined],
    ["x", "/mapping", undefined],
  ])("[W1] %j is refused, and the error names the position", (mapping, pointer, suggestion) => {
    const read = readMapping(mapping, "/mapping")
    expect(read).toMatchObject({ ok: false, error: [{ pointer, ...(suggestion === undefined ? {} : { suggestion }) }] })
  })

  test("[W1] text that is not a template stays unchanged", () => {
    expect(templateFaults("$${{ not a form }} {{x}} $x", "/task")).toEqual([])
    expect(readMapping({ task: "all of ${{trigger.body}}", inputs: { a: 1 } }, "/mapping")).toMatchObject({ ok: true })
  })

  test("[W3] a dedupe template without a value gives no id", () => {
    expect(rendered("${{trigger.body.title}}-${{trigger.body.n}}", payload)).toBe("TT-7")
    expect(rendered("id ${{trigger.body.nope}}", payload)).toBe("")
    expect(rendered("${{trigger.body.nope}}${{trigger.body.n}}", payload)).toBe("7")
  })
})
