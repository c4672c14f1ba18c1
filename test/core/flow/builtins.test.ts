// The files shipped in agents/, flows/ and skills/ have no faults, and each rehearsal fits the flow it plays.

import { readFileSync, readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readBuiltins } from "../../../scripts/builtins.ts"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import { finishSchema } from "../../../src/core/flow/finish-schema.ts"
import { choiceOf } from "../../../src/core/flow/flow.ts"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { parseSkill } from "../../../src/core/language/parse-skill.ts"
import { parseRehearsal, type RehearsedTurn } from "../../../src/core/case/rehearsal.ts"
import { validateFlow } from "../../../src/core/language/check-flow.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"

const TOOLS = new Set([
  "read",
  "write",
  "edit",
  "grep",
  "find",
  "ls",
  "ask_user",
  "skill_read",
  "subagent",
  "agent_catalog",
  "agent_write",
  "flow_write",
])

const files = readBuiltins()
const named = (form: RegExp): [string, string, string][] =>
  [...files].flatMap(([path, text]) => {
    const name = form.exec(path)?.[1]
    return name === undefined ? [] : [[path, name, text] as [string, string, string]]
  })

const skillFiles = named(/^skills\/([^/]+)\/SKILL\.md$/)
const agentFiles = named(/^agents\/([^/]+)\.md$/)
const flowFiles = named(/^flows\/((?:(?!\.rehearsal)[^/])+)\.yaml$/)
const rehearsalFiles = named(/^flows\/([^/]+)\.rehearsal\.yaml$/)

const agents = new Map<string, Agent>()
const agentFaults = new Map<string, readonly Diagnostic[]>()
for (const [path, name, text] of agentFiles) {
  const { agent, diagnostics } = parseAgent(text, { file: name, tools: TOOLS, skills: new Set(skillFiles.map(([, skill]) => skill)) })
  agentFaults.set(path, diagnostics)
  if (agent) agents.set(name, agent)
}

describe("shipped files", () => {
  test("[F70] the promised agents and flows exist", () => {
    expect(agents.has("flow-architect") && agents.has("flow-decision")).toBe(true)
    expect(flowFiles.map(([, name]) => name)).toEqual(["intake", "research", "triage"])
    expect(rehearsalFiles.map(([, name]) => name)).toEqual(flowFiles.map(([, name]) => name))
  })

  test.each(agentFiles)("[F54a] %s has neither errors nor warnings", (path) => {
    expect(agentFaults.get(path)).toEqual([])
  })

  test.each(flowFiles)("[F54a] %s has neither errors nor warnings", (_path, name, text) => {
    expect(validateFlow(text, name, { agents }).diagnostics).toEqual([])
  })

  test.each(skillFiles)("[F60] %s has no faults, and every file it lists exists", (_path, name, text) => {
    const { skill, diagnostics } = parseSkill(text, name)
    expect(diagnostics).toEqual([])
    const stored = [...files.keys()]
      .filter((path) => path.startsWith(`skills/${name}/`))
      .map((path) => path.slice(`skills/${name}/`.length))
    expect([...(skill?.files ?? [])].sort()).toEqual(stored.filter((file) => file !== "SKILL.md").sort())
  })

  test("[F54] the skill explains every code that a check can report", () => {
    const folders = ["../../../src/core/flow", "../../../src/engine"].map((folder) => new URL(`${folder}/`, import.meta.url))
    const sources = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(new URL(file, folder), "utf8")),
    )
    const given = new Set(
      sources.flatMap((source) => [...source.matchAll(/"((?:[AFRS]V|CAT)-[A-Z-]+)"/g)].flatMap(([, code = ""]) => code)),
    )
    const manual = files.get("skills/flow-language/diagnostics.md") ?? ""
    expect(given.size).toBeGreaterThan(50)
    expect([...given].filter((code) => !manual.includes(`\`${code}\``) && !manual.includes(`\`…${code.replace(/^[A-Z]+/, "")}\``))).toEqual(
      [],
    )
  })

  test("[F54a] the complete flows in the skill's examples have no faults, except for the agents they make up", () => {
    const text = files.get("skills/flow-language/examples.md") ?? ""
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, flow = ""]) => flow)
    expect(examples.length).toBeGreaterThanOrEqual(4)
    for (const example of examples) {
      const name = /^name: (\S+)$/m.exec(example)?.[1] ?? ""
      expect(validateFlow(example, name, { agents }).diagnostics.filter((d) => !madeUp(d))).toEqual([])
    }
  })
})

/** An example's agents are not in the catalog, so neither they nor their declarations can be found. */
const madeUp = (fault: Diagnostic): boolean => /AGENT/.test(fault.code)

describe("rehearsals", () => {
  test.each(rehearsalFiles)("[M3] %s scripts steps of its flow, and every finish fits", (_path, name, text) => {
    const flow = flowOf(name)
    const { rehearsal, diagnostics } = parseRehearsal(
      text,
      flow.steps.map((step) => step.id),
    )
    expect(diagnostics).toEqual([])
    for (const step of flow.steps) {
      for (const turn of rehearsal?.steps.get(step.id) ?? [])
        if (turn.finish) expect([step.id, finishFaults(step, turn.finish)]).toEqual([step.id, []])
    }
  })

  test.each(rehearsalFiles)("[M3] %s calls only what its agents declare, except for the refused call in the demo", (_path, name, text) => {
    const flow = flowOf(name)
    const steps = parseRehearsal(text).rehearsal?.steps
    const strays = flow.steps.flatMap((step) => {
      const granted = grantOf(step)
      return (steps?.get(step.id) ?? [])
        .flatMap((turn) => (turn.calls ?? []).map((call) => call.tool))
        .filter((tool) => !granted.includes(tool))
    })
    expect(strays).toEqual(name === "triage" ? ["bash"] : [])
  })

  test("[M3] the demo takes a branch, goes back once, and takes between 4 and 9 seconds", () => {
    const steps = parseRehearsal(files.get("flows/triage.rehearsal.yaml") ?? "").rehearsal?.steps
    const taken = (step: string): unknown[] => (steps?.get(step) ?? []).flatMap((turn) => (turn.finish ? [turn.finish["branch"]] : []))
    expect(taken("classify")).toEqual(["bug"])
    expect(taken("review")).toEqual(["loop", "exit"])
    const played = ["read_issue", "classify", "reproduce", "review", "report"].flatMap(
      (step): readonly RehearsedTurn[] => steps?.get(step) ?? [],
    )
    const waits = played.reduce((sum, turn) => sum + (turn.delay ?? 0), 0)
    expect(waits).toBeGreaterThan(4_000)
    expect(waits).toBeLessThan(9_000)
  })
})

function flowOf(name: string): Flow {
  const { flow } = validateFlow(files.get(`flows/${name}.yaml`) ?? "", name, { agents })
  if (!flow) throw new Error(`flows/${name}.yaml cannot be read`)
  return flow
}

const agentOf = (step: Step): Agent | undefined => ("agent" in step && step.agent !== undefined ? agents.get(step.agent) : undefined)

function grantOf(step: Step): readonly string[] {
  const wish = agentOf(step)?.tools
  return wish?.kind === "list" ? wish.names : []
}

function finishFaults(step: Step, finish: NonNullable<RehearsedTurn["finish"]>): unknown[] {
  const checked = validateArgs(finishSchema(agentOf(step)?.outputs ?? [], choiceOf(step)), finish)
  return checked.ok ? [] : [...checked.error]
}
