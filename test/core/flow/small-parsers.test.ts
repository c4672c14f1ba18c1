// duration, model-ref, path-id, finish-schema: small grammars, each with inputs just outside it.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseDuration } from "../../../src/core/text/duration.ts"
import { finishSchema, FINISH_FIELDS } from "../../../src/core/flow/finish-schema.ts"
import { labelsOf } from "../../../src/core/flow/flow.ts"
import type { Step } from "../../../src/core/flow/flow.ts"
import { parseModelRef } from "../../../src/core/flow/model-ref.ts"
import { catalogPath, flowIdOf, flowPath } from "../../../src/core/flow/path-id.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"

describe("durations", () => {
  test("[F1] milliseconds, or a number with a unit", () => {
    expect([1500, "1500", "500ms", "30s", "5m", "2h", "3d", 0, " 1s "].map(parseDuration)).toEqual([
      1500, 1500, 500, 30_000, 300_000, 7_200_000, 259_200_000, 0, 1000,
    ])
  })

  test("[F1] nothing else", () => {
    for (const x of [
      -1,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "",
      "s",
      "1 s",
      "1w",
      "-5s",
      "1.5h",
      "1e3",
      "9".repeat(15) + "d",
      null,
      undefined,
      {},
      ["5s"],
      true,
    ])
      expect(parseDuration(x)).toBeUndefined()
  })
})

describe("models", () => {
  test("[F52] role, provider and model, model; split at the first slash", () => {
    expect(parseModelRef("@planning")).toEqual({ kind: "role", role: "planning" })
    expect(parseModelRef("openrouter/meta/llama")).toEqual({ kind: "provider", provider: "openrouter", id: "meta/llama" })
    expect(parseModelRef("gpt")).toEqual({ kind: "bare", id: "gpt" })
  })

  test("[F52] only a known thinking level is removed; quotes and spaces are dropped", () => {
    expect(parseModelRef("@fast:high")).toEqual({ kind: "role", role: "fast", thinking: "high" })
    expect(parseModelRef("a/b:max")).toEqual({ kind: "provider", provider: "a", id: "b", thinking: "max" })
    expect(parseModelRef("ollama/llama3:8b")).toEqual({ kind: "provider", provider: "ollama", id: "llama3:8b" })
    expect(parseModelRef("llama3:8b:low")).toEqual({ kind: "bare", id: "llama3:8b", thinking: "low" })
    expect(parseModelRef(' "@fast" ')).toEqual({ kind: "role", role: "fast" })
    expect(parseModelRef("'x/y:off'")).toEqual({ kind: "provider", provider: "x", id: "y", thinking: "off" })
  })
})

describe("paths", () => {
  test("[F5] a flow's id is its path, and the reverse", () => {
    expect(flowIdOf("flows/review.yaml")).toBe("review")
    expect(flowIdOf("flows/legal/nda.yaml")).toBe("legal:nda")
    expect(flowIdOf("flows/legal/nda/flow.yaml")).toBe("legal:nda")
    expect(flowIdOf("flows/flow.yaml")).toBe("flow")
    expect(flowPath("legal:nda")).toBe("flows/legal/nda.yaml")
    const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/).filter((p) => p !== "flow" && p !== "__proto__" && !p.startsWith("-"))
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }).map((p) => p.join(":")),
        (id) => {
          expect(flowIdOf(flowPath(id))).toBe(id)
        },
      ),
    )
  })

  test("[F71] agents, rehearsals and skills each have their place", () => {
    expect(catalogPath("agents/x.md")).toEqual({ ok: true, value: { kind: "agent", name: "x" } })
    expect(catalogPath("flows/legal/nda.rehearsal.yaml")).toEqual({ ok: true, value: { kind: "rehearsal", id: "legal:nda" } })
    expect(catalogPath("flows/a/flow.rehearsal.yaml")).toEqual({ ok: true, value: { kind: "rehearsal", id: "a" } })
    expect(flowIdOf("flows/nda.rehearsal.yaml")).toBeUndefined()
    expect(catalogPath("skills/docs/notes/api v2.md")).toEqual({
      ok: true,
      value: { kind: "skill", skill: "docs", file: "notes/api v2.md" },
    })
  })

  test("[F71] every other path is refused with a reason", () => {
    const refused = [
      "",
      ".",
      "..",
      "../x.md",
      "/etc/x.md",
      "/agents/x.md",
      "agents/../../x.md",
      "agents/../agents/x.md",
      "agents/%2e%2e/x.md",
      "agents/%2E./x.md",
      "flows/x.md",
      "agents/x.yaml",
      "agents/a/b.md",
      "agents/.md",
      "agents/..md",
      "agents/x.chain.md",
      "agents\\x.md",
      "agents/x\u0000.md",
      "agents/x\n.md",
      "agents/x.md/",
      "agents//x.md",
      "./agents/x.md",
      "agents/./x.md",
      "agents/．．/x.md",
      "agents/ⅹ.md",
      "agents/x\u200b.md",
      "agents/x\u202e.md",
      "agents/é.md",
      "agents/-x.md",
      "agents/__proto__.md",
      "agents/constructor.md",
      "flows/a b.yaml",
      "flows/x.yml",
      "flows/.yaml",
      "flows/../x.yaml",
      "flows/a:b.yaml",
      "flows/prototype/x.yaml",
      "skills/x",
      "skills/../x/SKILL.md",
      "skills/x/../../agents/y.md",
      "skills/x/%2e%2e/y",
      "skills/x/a\\b",
      "skills/x/a\u0007",
      "skills/x/ a",
      "skills/x/..",
      "code/x.ts",
      `agents/${"x".repeat(600)}.md`,
      "~/agents/x.md",
      "file:///agents/x.md",
      ".pi/flows/agents/x.md",
    ]
    for (const path of refused) {
      const result = catalogPath(path)
      expect([path, result.ok]).toEqual([path, false])
      if (!result.ok) expect(result.error.length).toBeGreaterThan(10)
      expect(flowIdOf(path)).toBeUndefined()
    }
  })

  test("[F71] judging a path never throws", () => {
    const bits = fc.constantFrom("agents", "flows", "skills", "/", "..", ".", "%2e", "\\", "\u0000", "x", ".md", ".yaml", "﹒", "\ud800")
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(bits, { maxLength: 12 }).map((p) => p.join("")),
        ),
        (path) => {
          const result = catalogPath(path)
          if (result.ok) expect(path.split("/")).not.toContain("..")
        },
      ),
    )
  })
})

describe("finish", () => {
  const outputs = [
    { name: "note", type: "string", required: false },
    { name: "score", type: "number", required: true },
    { name: "verdict", type: "string", pattern: "^(pass|fail)$", required: true },
  ] as const

  test("[F51] status and summary are required, files default to none, typed outputs are required", () => {
    const schema = finishSchema(outputs)
    expect(schema["required"]).toEqual(["status", "summary", "score", "verdict"])
    expect(schema["additionalProperties"]).toBe(false)
    expect(schema["properties"]).toMatchObject({ files: { default: [] }, summary: { minLength: 1 }, score: { type: "number" } })
    expect(schema["properties"]).not.toHaveProperty("branch")
  })

  test("[F51] the schema judges a finish according to its rules", () => {
    const good = { status: "complete", summary: "s", files: [], score: 92, verdict: "pass" }
    const fits = (args: Record<string, unknown>): boolean => validateArgs(finishSchema(outputs), args).ok
    expect(fits(good)).toBe(true)
    expect(fits({ ...good, note: "n", artifacts: "<x/>", files: [{ path: "a", action: "created" }] })).toBe(true)
    for (const wrong of [
      { score: "abc" },
      { verdict: "maybe" },
      { summary: "" },
      { status: "great" },
      { extra: 1 },
      { branch: "x" },
      { files: [{ path: "a", action: "eaten" }] },
    ])
      expect(fits({ ...good, ...wrong })).toBe(false)
  })

  test("[F20] a decision's branch is one of its labels, and required", () => {
    const schema = finishSchema([], { labels: ["fast", "thorough"], several: false })
    expect(schema["required"]).toContain("branch")
    expect(schema["properties"]).toMatchObject({ branch: { enum: ["fast", "thorough"] } })
  })

  test("[F17] a loop decision's labels are loop and exit, whatever its targets are named", () => {
    const loop: Step = {
      id: "l",
      type: "agent-loop-decision",
      agent: "j",
      task: "t",
      inputs: {},
      blockedBy: [],
      loop_target: "a",
      exit_target: "b",
      max_iterations: 2,
    }
    expect(labelsOf(loop)).toEqual(["loop", "exit"])
    expect(labelsOf({ id: "a", type: "agent", agent: "x", inputs: {}, blockedBy: [] })).toBeUndefined()
    expect(FINISH_FIELDS).toContain("branch")
  })
})
