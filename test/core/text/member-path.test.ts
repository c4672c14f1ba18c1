// Names that are no words, in templates, filters and approvals [F41, W1, Q4]: they can be written, and a message shows how.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { validateFlow } from "../../../src/core/language/check-flow.ts"
import { expand, parseReference, references } from "../../../src/core/flow/template.ts"
import { evaluate, parseCondition } from "../../../src/core/tool/policy/condition.ts"
import { meant, namesIn, written } from "../../../src/core/text/member-path.ts"
import { filterFault, heldBack } from "../../../src/core/webhook/filter.ts"
import { given, templateFaults } from "../../../src/core/webhook/mapping.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { catalog, WORLD } from "../../support/kernel/fixtures.ts"

const body = {
  "First Name": "Ada",
  größe: 3,
  "@type": "Person",
  "a/b": { "c.d": [true, { "}}": "braces" }] },
  名前: "x",
  'it\'s "so"': 1,
  user: { $ref: "r", "": 7 },
}
const payload = { headers: {}, query: {}, body }

describe("a name in brackets", () => {
  test.each([
    ['${{trigger.body["First Name"]}}', "Ada"],
    ["${{ trigger.body['First Name'] }}", "Ada"],
    ['${{trigger.body["größe"]}}', "3"],
    ["${{trigger.body['@type']}} ${{trigger.body.名前}}", "Person ${{trigger.body.名前}}"],
    ['${{trigger.body["a/b"]["c.d"].0}}', "true"],
    ['${{trigger["body"]["a/b"]["c.d"].1["}}"]}}', "braces"],
    ['${{trigger.body["it\'s \\"so\\""]}}', "1"],
    ['${{trigger.body["\\u0040type"]}}', "Person"],
    ['${{trigger.body.user["$ref"]}}', "r"],
  ])("[F41] %s has its value", (template, value) => {
    expect(given({ task: template }, payload)).toMatchObject({ ok: true, value: { task: value } })
  })

  test.each([
    '${{trigger.body["First Name}}',
    '${{trigger.body["a\\x"]}}',
    "${{trigger.body[First Name]}}",
    '${{trigger.body.["a"]}}',
    '${{trigger.body[""]}}',
    '${{trigger.body["a"]b}}',
    '${{["trigger"]}}"]',
    '${{trigger.body["a"',
  ])("[F40] %s is no template", (template) => {
    expect(references(template).map(({ ref }) => ref)).toEqual([undefined])
    expect(expand(template, () => "!").text).toBe(template)
  })

  test("[F41] in a result only the step's name and the field's can be in brackets, whatever dots they have", () => {
    expect(parseReference('result["old.id"].summary', ["old"])).toEqual({ root: "result", step: "old.id", field: "summary" })
    expect(parseReference('config["a b"]')).toEqual({ root: "config", key: "a b" })
    expect(parseReference('item["a"]["b"].c')).toEqual({ root: "item", path: ["a", "b", "c"] })
    expect(parseReference('result.a["b"].c')).toBeUndefined()
  })

  test("[W1] filters and conditions of approvals know them too", () => {
    for (const [filter, passes] of [
      ['["First Name"] == "Ada"', true],
      ["['@type'] == \"Person\" && größe > 2", true],
      ['["a/b"]["c.d"].0 == true', true],
      ['user["$ref"] == "x"', false],
    ] as const)
      expect([filter, filterFault(filter)?.message, heldBack(filter, body) === undefined]).toEqual([filter, undefined, passes])
    const condition = parseCondition("args['First Name'] != \"Bob\"", { root: "args" })
    expect(condition.ok && evaluate(condition.value, body)).toBe(true)
    expect(filterFault('["a\\x"] == 1')?.message).toContain("is not a JSON string")
  })

  test("[F41] any names can be written, with the quotes that are free, and are read back", () => {
    const name = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom('"' as const, "'" as const), (names, quote) => {
        const path = written(["trigger", ...names], quote)
        expect(namesIn(path)).toEqual(["trigger", ...names])
        expect(references(`a $\{{${path}}} b`)).toMatchObject([{ ref: { root: "trigger", path: names } }])
        const condition = parseCondition(`${written(["args", ...names], quote)} == 1`, { root: "args" })
        expect(condition).toMatchObject({ value: { any: [[{ path: names }]] } })
      }),
      { numRuns: amount(1_000, 300) },
    )
  })

  test("[F41] a name in brackets has at most 200 characters", () => {
    const [longest, longer] = [200, 201].map((n) => `item["${"x".repeat(n)}"]`)
    expect(references(`\${{${longest}}} \${{${longer}}}`).map(({ ref }) => ref?.root)).toEqual(["item", undefined])
    expect([filterFault(`${longest} == 1`)?.message, filterFault(`${longer} == 1`)?.message]).toEqual([
      undefined,
      expect.stringContaining("expected a comparison"),
    ])
  })

  test("[N4] what is broken takes no longer than its length", () => {
    const length = amount(400_000, 100_000)
    const spent = cpuClock()
    for (const bit of ['${{a["', "${{['", '${{a["b"', '${{a["b"]', '${{["\\', "${{a.", '["a"]', '${{a["b"].c'])
      for (const text of [bit.repeat(length / bit.length), `\${{${bit.repeat(length / bit.length)}`, `${bit}${"x".repeat(length)}`]) {
        references(text)
        expand(text, () => "")
        namesIn(text)
        meant(text)
      }
    expect(spent()).toBeLessThan(amount(20_000, 5_000))
  })
})

describe("a message about a name that cannot be written so", () => {
  test.each([
    ["First Name == 1", ': ["First Name"]'],
    ["user.First Name > 1", ': user["First Name"]'],
    ["@type != null", ': ["@type"]'],
    ["a/b <= 1", ': ["a/b"]'],
    ["items[0].id == 1", ": items.0.id"],
  ])("[W1] the filter %s is refused with %s", (filter, form) => {
    const fault = filterFault(filter)?.message
    expect(fault).toContain(form)
    expect(filterFault(filter.replace(/^.*?(?= [=!<>])/, form.slice(2)))).toBeUndefined()
  })

  test.each(["a +", "a = 1", "(a) == 1", '"a" == 1', "a && b == 1"])("[W1] %s gets no such hint", (filter) => {
    expect(filterFault(filter)?.message).not.toMatch(/brackets|after a dot/)
  })

  test("[W1] so is a hook's template, with what can be written in JSON", () => {
    for (const [template, form] of [
      ["${{trigger.body.First Name}}", "${{trigger.body['First Name']}}"],
      ["${{ trigger.body.größe }}", "${{trigger.body['größe']}}"],
      ["${{trigger.body.a/b.c}}", "${{trigger.body['a/b'].c}}"],
      ["${{trigger.body.list[12]}}", "${{trigger.body.list.12}}"],
    ] as const) {
      expect(templateFaults(template, "/task")).toMatchObject([{ suggestion: form }])
      expect(templateFaults(form, "/task")).toEqual([])
    }
  })

  const flow = (task: string): string => `name: t
description: d
config: { größe: 3 }
steps:
  - { id: s, type: code, outputs: [{ name: list, type: array }] }
  - { id: m, type: map, do: child, over: "\${{result.s.list}}", blockedBy: s, task: ${task} }
`
  const faults = (task: string) =>
    validateFlow(flow(task), "t", { agents: catalog() }).diagnostics.filter(({ code }) => code.includes("TPL") || code.endsWith("PARSE"))

  test.each([
    [`"\${{item.größe}}"`, "${{item['größe']}}"],
    [`'\${{item.größe}}'`, '${{item["größe"]}}'],
    [`"\${{item.First Name}} x"`, "${{item['First Name']}}"],
    [`"\${{item.@type}}"`, "${{item['@type']}}"],
    [`'\${{config.größe}}'`, '${{config["größe"]}}'],
    [`"\${{trigger.body.items[0].id}}"`, "${{trigger.body.items.0.id}}"],
  ])("[F43] %s in a flow is refused with a form that can stand in its place", (task, form) => {
    expect(faults(task)).toMatchObject([{ code: "FV-TPL-FORM", suggestion: form }])
    expect(faults(task.replace(/\$\{\{.*?\}\}/, () => form))).toEqual([])
  })

  test("[F43] half of a name is never suggested", () => {
    for (const task of [`"\${{result.s.größe}}"`, `"\${{flow.input.größe}}"`, `"\${{steps.s.größe}}"`])
      expect(faults(task).map(({ suggestion }) => suggestion ?? "")).not.toContainEqual(expect.stringMatching(/\bgr\b/))
  })

  test("[F43] what needs quotes in YAML is shown in the quotes that it leaves free", () => {
    expect(faults('${{item["a b"]}}')).toMatchObject([{ code: "FV-PARSE", suggestion: `in quotes: '\${{item["a b"]}}'` }])
    expect(faults(`'\${{item["a b"]}}'`)).toEqual([])
  })

  test("[F40] in an agent's body it is a warning with the form", () => {
    const { diagnostics } = parseAgent(
      '---\nname: a\ndescription: d\ntools: read\nmodel: "@fast"\n---\n${{task}} ${{trigger.body.Zip Code}}',
      WORLD,
    )
    expect(diagnostics).toMatchObject([{ code: "AV-TPL-FORM", suggestion: '${{trigger.body["Zip Code"]}}' }])
  })
})
