// Every fixture has exactly the diagnostics that it says it has; the valid ones have no error among them.

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { hasErrors } from "../../../../src/core/diagnostic.ts"
import { checkFlow, validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { catalog, fixtures, seen, WORLD } from "../../../support/kernel/fixtures.ts"

const agents = catalog()

describe("flows", () => {
  for (const folder of ["valid", "invalid"]) {
    for (const { name, text, expected } of fixtures(`flows/${folder}`)) {
      test(`[F54] ${folder}/${name}.yaml has the diagnostics it names`, () => {
        const { flow, diagnostics } = validateFlow(text, name, { agents })
        expect(seen(diagnostics)).toEqual(expected)
        expect(flow !== undefined).toBe(folder === "valid")
        expect(hasErrors(diagnostics)).toBe(folder === "invalid")
      })
    }
  }

  test("[F2] diagnostics come sorted by line, each with a place, a message and a known severity", () => {
    for (const { name, text } of fixtures("flows/invalid")) {
      const { diagnostics } = validateFlow(text, name, { agents })
      const lines = diagnostics.map((d) => d.line)
      expect(lines).toEqual(lines.toSorted((a, b) => a - b))
      for (const d of diagnostics) {
        expect(d.line).toBeGreaterThan(0)
        expect(d.column).toBeGreaterThan(0)
        expect(d.message).not.toBe("")
        expect(d.code).toMatch(/^FV-[A-Z0-9-]+$/)
      }
    }
  })

  test("[F2] an error in one step does not hide faults in other steps", () => {
    const text =
      "name: n\ndescription: d\nsteps:\n  - { id: a, type: nonsense }\n  - { id: b, type: agent, agent: nobody, blockedBy: [a, c] }\n"
    expect(validateFlow(text, "n", { agents }).diagnostics.map((d) => d.code)).toEqual(["FV-PARSE", "FV-AGENT", "FV-BLOCK-UNKNOWN"])
  })

  test("[F2] checkFlow alone gives only what names mean; parseFlow only what the text is", () => {
    const parsed = parseFlow("name: n\ndescription: d\nsteps:\n  - { id: a, agent: nobody }\n", "n")
    expect(parsed.diagnostics.map((d) => d.code)).toEqual(["FV-TYPE-INFER"])
    expect(checkFlow(parsed, { agents }).map((d) => d.code)).toEqual(["FV-AGENT"])
  })

  test("[F21] a fork without an agent uses the built-in agent and needs none in the catalog", () => {
    const text =
      "name: n\ndescription: d\nsteps:\n  - { id: f, type: fork, question: q, options: [x, y], branches: { x: a, y: a } }\n  - { id: a, type: agent, agent: worker }\n"
    const { flow, diagnostics } = validateFlow(text, "n", { agents: new Map([...agents].filter(([name]) => name !== "flow-decision")) })
    expect(diagnostics).toEqual([])
    expect(flow?.autonomous).toBe(false)
  })
})

describe("agents", () => {
  for (const folder of ["valid", "invalid"]) {
    for (const { name, text, expected } of fixtures(`agents/${folder}`)) {
      test(`[F54] ${folder}/${name}.md has the diagnostics it names`, () => {
        const { agent, diagnostics } = parseAgent(text, { ...WORLD, file: name })
        expect(seen(diagnostics)).toEqual(expected)
        expect(agent !== undefined).toBe(folder === "valid")
      })
    }
  }
})

test("[F2] the judge's flow of many faults: each code at its line", () => {
  const source = readFileSync(new URL("../../../conformance/cases/05-catalog.mjs", import.meta.url), "utf8")
  const bad = /const bad = `([^`]*)`/.exec(source)?.[1]?.replaceAll("\\$", "$") ?? ""
  const simple = (name: string, extra = ""): string =>
    `---\nname: ${name}\ndescription: d\nmodel: script/x\ntools: read\n${extra}---\n\${{task}}\n`
  const world = new Map(
    [simple("known"), simple("needy", "inputs:\n  - doc\n")].flatMap((text) => {
      const { agent } = parseAgent(text, WORLD)
      return agent === undefined ? [] : [[agent.name, agent] as const]
    }),
  )
  const { flow, diagnostics } = validateFlow(bad, "bad", { agents: world })
  const at = (code: string): number[] => diagnostics.filter((d) => d.code === code).map((d) => d.line)
  expect(flow).toBeUndefined()
  expect(at("FV-AGENT")).toEqual([4])
  expect(at("FV-ID-DUP")).toEqual([11])
  expect(at("FV-BLOCK-ORDER")).toEqual([10])
  expect(at("FV-BRANCH")).toEqual([18])
  expect(at("FV-LOOP-TARGET")).toEqual([24])
  expect(at("FV-TPL-PREFIX")).toEqual([30])
  expect(diagnostics.find((d) => d.code === "FV-TPL-PREFIX")?.suggestion).toContain("result")
  expect(diagnostics.find((d) => d.code === "FV-IN-UNWIRED")?.severity).toBe("warning")
})
