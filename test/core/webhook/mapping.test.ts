// Turning a delivery into task and inputs [W1].

import { describe, expect, test } from "vitest"
import { filterFault, letsThrough } from "../../../src/core/webhook/filter.ts"
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

describe("filter", () => {
  test.each([
    ['title == "TT"', true],
    ['title == "tt"', false],
    ['n >= 7 && title != "x"', true],
    ['n > 7 && title != "x"', false],
    ['missing == "x"', false],
    ['missing != "x"', true],
    ["missing < 3", false],
    ['n == "7"', false],
    ["nothing == null", true],
    ['constructor != "x"', true],
    ["labels.0 != null", true],
    ["deep.a.0.b == true", true],
  ])("[W1] %s → %s", (filter, passes) => {
    expect(filterFault(filter)).toBeUndefined()
    expect(letsThrough(filter, payload.body)).toBe(passes)
  })

  test.each(["rm -rf", "", 'title = "x"', 'a == "x" || b == "y"', "(a == 1)", "a == 'x'", "a ==", "a == 1 &&"])(
    "[W1] %j is not a filter, and lets nothing through",
    (filter) => {
      expect(filterFault(filter)).toMatch(/is not a valid filter/)
      expect(letsThrough(filter, payload.body)).toBe(false)
    },
  )

  test("[W1] a body that is text has no fields", () => {
    expect(letsThrough('length == "4"', "text")).toBe(false)
    expect(letsThrough(undefined, "text")).toBe(true)
  })
})
