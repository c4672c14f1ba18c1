// What people bring from other systems [F3, F43]: keys, templates, files. Each has a diagnostic that names the right spelling, at its place.

import { describe, expect, test } from "vitest"
import { isMeant, spelling } from "../../../../src/core/flow/foreign-form.ts"
import { FOREIGN_FLOW_KEYS, FOREIGN_STEP_KEYS } from "../../../../src/core/flow/parse/foreign-key.ts"
import { COMMON_FIELDS, FLOW_FIELDS } from "../../../../src/core/flow/parse/field-table.ts"
import { KINDS } from "../../../../src/core/steps/kinds.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import { catalog, WORLD } from "../../../support/kernel/fixtures.ts"

const AGENTS = catalog()
const check = (text: string) => validateFlow(text, "f", { agents: AGENTS }).diagnostics
const flow = (steps: string): string => `name: f\ndescription: d\ninputs:\n  topic: { type: string }\nsteps:\n${steps}`
const step = (more: string): string =>
  flow(`  - { id: a, type: agent, agent: worker }\n  - id: b\n    type: agent\n    agent: worker\n    ${more}\n`)
const errors = (text: string) => check(text).filter((d) => d.severity === "error")

describe("keys of other systems", () => {
  test.each([
    ["needs: a", "blockedBy: a"],
    ["needs: [a]", "blockedBy: [a]"],
    ["depends_on: [a]", "blockedBy: [a]"],
    ["dependsOn: a", "blockedBy: a"],
    ["blocked_by: a", "blockedBy: a"],
    ["if: ${{ result.a.status == 'complete' }}", "type: conditional"],
    ["when: always", "type: conditional"],
    ["uses: actions/checkout@v4", "agent: NAME"],
    ["with: { path: x }", "inputs:"],
    ["prompt: write a poem", "task:"],
    ["run: npm test", "type: code"],
    ["command: ls", "type: code"],
    ["foreach: [1, 2]", "type: map"],
    ["on_failure: a", "on_error"],
    ["retries: 3", "retry:"],
    ["timeout-minutes: 5", "timeout: 10m"],
  ])("[F3b] a step with `%s` is an error that shows `%s`", (line, right) => {
    expect(errors(step(line))).toEqual([
      expect.objectContaining({ code: "FV-FOREIGN-KEY", line: 10, column: 5, suggestion: expect.stringContaining(right) }),
    ])
  })

  test.each([
    ["name: The review", "description: The review"],
    ["tools: [read]", "remove it"],
  ])("[F3] `%s` changes nothing that runs, so it is a warning", (line, right) => {
    const all = check(step(line))
    expect(all.filter((d) => d.line === 10)).toEqual([
      expect.objectContaining({ code: "FV-FOREIGN-KEY", severity: "warning", suggestion: right }),
    ])
    expect(all.some((d) => d.severity === "error")).toBe(false)
  })

  test("[F3] no key of this language is among them", () => {
    const own = new Set([...Object.keys(COMMON_FIELDS), ...Object.values(KINDS).flatMap((kind) => Object.keys(kind.fields))])
    // A tool step has arguments [F26] and a code step tools [F27]; on any other step the word is another system's.
    expect([...FOREIGN_STEP_KEYS.keys()].filter((key) => own.has(key))).toEqual(["args", "tools"])
    expect([...FOREIGN_FLOW_KEYS.keys()].filter((key) => Object.hasOwn(FLOW_FIELDS, key))).toEqual([])
  })

  test("[F72] a run that is pinned to such a file still loads it", () => {
    expect(parseFlow(step("needs: a"), "f").flow).toBeDefined()
  })

  test.each(["stpes", "step", "Steps", "jobs", "stages"])("[F3] `%s:` in place of steps is the error, at that key", (key) => {
    const found = errors(`name: f\ndescription: d\n${key}:\n  - { id: a, type: agent, agent: worker }\n`)
    expect(found).toEqual([
      expect.objectContaining({ code: "FV-STEPS", line: 3, column: 1, message: expect.stringContaining(JSON.stringify(key)) }),
    ])
    expect(found[0]?.suggestion).toContain("steps")
  })

  test("[F3] a misspelled name and description are named at their keys", () => {
    const found = errors("nmae: f\ndescripton: d\nsteps:\n  - { id: a, type: agent, agent: worker }\n")
    expect(found.map((d) => [d.code, d.line, d.suggestion])).toEqual([
      ["FV-NAME", 1, 'did you mean "name"?'],
      ["FV-DESC", 2, 'did you mean "description"?'],
    ])
  })

  test("[F3] keys of a workflow's file name what does the same", () => {
    const found = check(`on: push\nenv: { A: b }\n${flow("  - { id: a, type: agent, agent: worker }\n")}`)
    expect(found.map((d) => [d.line, d.severity, d.suggestion?.slice(0, 8)])).toEqual([
      [1, "warning", "remove i"],
      [2, "warning", "config: "],
    ])
  })
})

describe("templates of other systems", () => {
  test.each([
    ["{{task}}", "${{task}}"],
    ["{{ task }}", "${{task}}"],
    ["{{- task -}}", "${{task}}"],
    ["{{{task}}}", "${{task}}"],
    ["{{ task | upper }}", "${{task}}"],
    ["{{ result.a.summary }}", "${{result.a.summary}}"],
    ["{{a.summary}}", "${{result.a.summary}}"],
    ["{{ steps.a.output }}", "${{result.a}}"],
    ["{{topic}}", "${{flow.input.topic}}"],
    ["{{ inputs.topic }}", "${{flow.input.topic}}"],
    ["{{ .Values.topic }}", "${{config.topic}}"],
    ["{{ .Values }}", "${{config.KEY}}"],
    ["{{ env.HOME }}", "${{config.HOME}}"],
  ])("[F43] %s has no dollar sign: %s", (form, right) => {
    expect(errors(step(`task: "do ${form} now"`))).toEqual([
      expect.objectContaining({ code: "FV-TPL-DOUBLE", line: 10, suggestion: right }),
    ])
  })

  test.each(["{{name}}", "{{ user.first }}", "{{#each x}}", "{{}}", "{ {task} }", "$${{task}}"])("[F43] %s stays text", (form) => {
    expect(errors(step(`task: 'write ${form} into the page'`))).toEqual([])
  })

  test.each([
    ["${{ steps.a.outputs.files }}", "FV-TPL-PREFIX", "${{result.a.files}}"],
    ["${{ steps.a.summary }}", "FV-TPL-PREFIX", "${{result.a.summary}}"],
    ["${{ needs.a.outputs.summary }}", "FV-TPL-PREFIX", "${{result.a.summary}}"],
    ["${{ inputs.topic }}", "FV-TPL-PREFIX", "${{flow.input.topic}}"],
    ["${{ params.topic }}", "FV-TPL-PREFIX", "${{flow.input.topic}}"],
    ["${{ github.event.issue }}", "FV-TPL-PREFIX", "${{trigger.body.issue}}"],
    ["${{ env.NAME }}", "FV-TPL-PREFIX", "${{config.NAME}}"],
    ["${{ secrets.TOKEN }}", "FV-TPL-PREFIX", "templates cannot read secrets"],
    ["${{ topic }}", "FV-TPL-PREFIX", "${{flow.input.topic}}"],
    ["${{ a.summary }}", "FV-TPL-PREFIX", "${{result.a.summary}}"],
    ["${{ result.a.outputs.summary }}", "FV-TPL-DEEP", "${{result.a.summary}}"],
    ["${{ flow.inputs.topic }}", "FV-TPL-FORM", "${{flow.input.topic}}"],
    ["${{ task | upper }}", "FV-TPL-FORM", "${{task}}"],
    ["${{ result.a.summary || 'none' }}", "FV-TPL-FORM", "${{result.a.summary ?? config.NAME}}"],
    ["${{ result.a.summary || task }}", "FV-TPL-FORM", "${{result.a.summary ?? task}}"],
    ["${{ result.a.summary ?? 'none' }}", "FV-TPL-FORM", "${{result.a.summary ?? config.NAME}}"],
    ["${{ fromJSON(result.a.summary) }}", "FV-TPL-FORM", "code step"],
    ["${{ result.a.files[0] }}", "FV-TPL-FORM", "${{result.a.files}}"],
  ])("[F3] %s is %s and shows %s", (form, code, right) => {
    expect(errors(step(`task: "do ${form}"`))).toEqual([
      expect.objectContaining({ code, line: 10, suggestion: expect.stringContaining(right) }),
    ])
  })

  test("[F43] in an agent's body they are warnings, because a prompt may speak of braces", () => {
    const body = `---\nname: x\ndescription: d\ntools: read\nmodel: "@fast"\ninputs: [doc]\n---\n\${{task}} {{task}} {{doc}} \${{ inputs.doc }} {{other}}\n`
    const { agent, diagnostics } = parseAgent(body, WORLD)
    expect(agent).toBeDefined()
    expect(diagnostics.map((d) => [d.code, d.suggestion])).toEqual([
      ["AV-BRACE", "${{task}}"],
      ["AV-BRACE", "${{input.doc}}"],
      ["AV-TPL-PREFIX", "${{input.doc}}"],
    ])
  })

  test("[F3b] a suggestion is always a form that exists, or a sentence", () => {
    const known = { steps: ["a", "b.c"], inputs: ["topic"] }
    for (const root of [
      "steps",
      "needs",
      "result",
      "inputs",
      "env",
      "github",
      "workflow",
      "matrix",
      "prev",
      "flow",
      "values",
      ".Values",
      "task",
    ])
      for (const rest of ["", ".", ".a", ".a.b", ".a.b.c.d", "..", ".outputs", ".a.outputs", ".b.c.output.x", "[0]", " | x"]) {
        const right = spelling(root + rest, known)
        if (right !== undefined) expect(right).toMatch(/^\$\{\{[a-z]+(\.[A-Za-z0-9_-]+)*\}\}$/)
      }
    expect(isMeant("", known)).toBe(false)
  })
})

describe("file:// inputs", () => {
  test.each(["file://docs/a.md", "file:///docs/a.md", "FILE://${{task}}"])("[F3] %s is an error that shows the path", (value) => {
    const found = errors(step(`task: "\${{input.doc}}"\n    inputs: { doc: "${value}" }`))
    expect(found).toEqual([expect.objectContaining({ code: "FV-IN-FILE", line: 11, suggestion: expect.stringContaining("read") })])
  })
})
