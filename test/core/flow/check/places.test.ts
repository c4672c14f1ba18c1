// Where a diagnostic points, and what it says to do, in files as people write them [F1, F2].

import { describe, expect, test } from "vitest"
import type { Diagnostic } from "../../../../src/core/diagnostic.ts"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { catalog } from "../../../support/kernel/fixtures.ts"

const agents = catalog()
const [AGENT = ""] = agents.keys()
const HEAD = "name: x\ndescription: d\n"
const WORK = `  - { id: s, type: agent, agent: ${AGENT} }\n`
const said = (text: string): readonly Diagnostic[] => validateFlow(text, "x", { agents }).diagnostics
const at = (text: string, code: string): string[] => said(text).flatMap((d) => (d.code === code ? [`${d.line}:${d.column}`] : []))

describe("places", () => {
  test("[F2] a byte order mark does not count as a column", () => {
    expect(at(`\uFEFFnmae: x\n${HEAD}steps:\n${WORK}`, "FV-MISSPELLED-KEY")).toEqual(["1:1"])
    expect(at(`\uFEFF${HEAD}steps:\n${WORK}nope: 1\n`, "FV-UNKNOWN-KEY")).toEqual(["5:1"])
  })

  test("[F2] CR LF and tabs before a value move no place", () => {
    const text = `${HEAD}steps:\n  - id: s\n    type: agent\n    agent:\tnobody\n`
    expect(at(text, "FV-AGENT")).toEqual(["6:12"])
    expect(at(text.replaceAll("\n", "\r\n"), "FV-AGENT")).toEqual(["6:12"])
  })

  test("[F2] an empty list item has its own place, not the place of the list", () => {
    expect(at(`${HEAD}steps:\n${WORK}  -\n${WORK.replace("id: s", "id: t")}`, "FV-PARSE").map((p) => p.split(":")[0])).toEqual(["5"])
  })

  test("[F2] a repeated excerpt has the place of the right occurrence", () => {
    const text = (task: string): string =>
      `${HEAD}steps:\n  - id: s\n    type: agent\n    agent: ${AGENT}\n    task: |\n${task.replaceAll(/^/gm, "      ")}\n`
    expect(at(text("${{task}}\nand {task}"), "FV-TPL-BRACE")).toEqual(["9:11"])
    expect(at(text("$${{nope.x}}\n${{nope.x}}"), "FV-TPL-PREFIX")).toEqual(["9:7"])
  })
})

describe("reading", () => {
  test("[F1] YAML 1.2 knows three spellings of true and of false", () => {
    for (const [word, flag] of [
      ["true", true],
      ["True", true],
      ["TRUE", true],
      ["False", false],
      ["FALSE", false],
    ] as const)
      expect(validateFlow(`${HEAD}task_required: ${word}\nsteps:\n${WORK}`, "x", { agents }).flow?.task_required).toBe(flag)
    expect(at(`${HEAD}task_required: yes\nsteps:\n${WORK}`, "FV-PARSE")).toEqual(["3:16"])
  })

  test("[F1] a template without quotes inside of braces is one fault that says so", () => {
    const faults = said(`${HEAD}steps:\n  - { id: s, type: agent, agent: ${AGENT}, task: \${{task}} }\n`)
    expect(faults.map((d) => [d.code, d.line])).toEqual([["FV-PARSE", 4]])
    expect(faults[0]?.suggestion).toContain('"${{task}}"')
  })

  test("[F1] a key without a space after the colon gets that advice", () => {
    const [fault] = said(`${HEAD}steps:\n  - id: s\n    type: agent\n    agent:${AGENT}\n`)
    expect([fault?.line, fault?.suggestion]).toEqual([6, expect.stringContaining("space after the colon")])
  })

  test("[F1] a quote that is never closed is shown where it opens", () => {
    expect(at(`${HEAD}steps:\n  - id: s\n    type: agent\n    agent: "${AGENT}\n    task: x\n    description: y\n`, "FV-PARSE")).toEqual([
      "6:12",
    ])
  })
})

test("[F21] a fork with branches and an empty list of options is an error", () => {
  const text = `${HEAD}steps:\n  - { id: k, type: fork, question: q, options: [], branches: { y: s } }\n${WORK}`
  expect(at(text, "FV-FORK-OPTION")).toEqual(["4:39"])
})
