// Checks a flow's steps against their agents: whether the agents exist and their inputs are set.

import { KINDS } from "../steps/kinds.ts"
import { runsAgent } from "../flow/flow.ts"
import { agentOf, type Placed, type CheckScope } from "../flow/check/check-scope.ts"
import { shown } from "../flow/parse/report.ts"
import { references } from "../flow/template.ts"

/** Reports every step whose id is repeated. */
export function checkIds({ steps, report }: CheckScope): void {
  const seen = new Set<string>()
  for (const { step, valueAt } of steps) {
    if (step.id !== "" && seen.has(step.id))
      report.error("FV-ID-DUP", valueAt("id"), `the id "${step.id}" is repeated`, `id: ${freeName(step.id, seen)}`)
    seen.add(step.id)
  }
}

function freeName(id: string, taken: ReadonlySet<string>): string {
  let n = 2
  while (taken.has(`${id}-${n}`)) n++
  return `${id}-${n}`
}

/** A fork without an agent uses the built-in agent and needs no check. */
export function checkAgents({ steps, world, report }: CheckScope): void {
  for (const { step, where, valueAt } of steps) {
    const code = KINDS[step.type].noAgent
    if (code === undefined || !runsAgent(step) || step.agent === undefined || step.agent === "" || world.agents.has(step.agent)) continue
    if (world.broken?.agents.has(step.agent) === true) {
      report.warn(code, valueAt("agent"), `${where}: the agent ${shown(step.agent)} has errors`, `fix agents/${step.agent}.md`)
      continue
    }
    const hint = report.hint(step.agent, world.agents)
    report.error(
      code,
      valueAt("agent"),
      `${where}: the agent ${shown(step.agent)} does not exist`,
      `${hint === undefined ? "" : `${hint}; or `}write it as agents/${step.agent}.md`,
    )
  }
}

export function checkInputs(scope: CheckScope): void {
  // Many steps may share an agent, so its body is read only once.
  const bodies = new Map<string, ReadonlySet<string>>()
  for (const placed of scope.steps) {
    if (scope.report.full()) return
    const { step, where, keyAt } = placed
    const agent = agentOf(scope, step)
    if (!runsAgent(step) || agent === undefined) continue
    for (const name of agent.inputs) {
      if (Object.hasOwn(step.inputs, name)) continue
      scope.report.warn(
        "FV-IN-UNWIRED",
        keyAt("inputs"),
        `${where}: the agent "${agent.name}" declares the input "${name}", which the step does not set, so it is empty`,
        `inputs: { ${name}: "\${{task}}" }`,
      )
    }
    const body = bodies.get(agent.name) ?? usedInputs(agent.body)
    bodies.set(agent.name, body)
    checkWired(scope, placed, agent.inputs, new Set([...body, ...usedInputs(step.task ?? "")]))
  }
}

function checkWired({ report }: CheckScope, { step, where, keyAt }: Placed, declared: readonly string[], used: ReadonlySet<string>): void {
  if (!runsAgent(step)) return
  for (const name of Object.keys(step.inputs)) {
    const at = keyAt("inputs", name)
    if (!declared.includes(name))
      report.warn(
        "FV-IN-EXTRA",
        at,
        `${where}: its agent declares no input "${name}"`,
        declared.length === 0 ? `add to the agent: inputs: [${name}]` : report.hint(name, declared),
      )
    if (!used.has(name))
      report.warn(
        "FV-IN-UNUSED",
        at,
        `${where}: the step sets the input "${name}", but neither the agent's body nor the step's task uses it`,
        `write \${{input.${name}}} where it belongs`,
      )
  }
}

const usedInputs = (text: string): Set<string> => new Set(references(text).flatMap(({ ref }) => (ref?.root === "input" ? [ref.name] : [])))

/** Reports inputs with `file://` addresses, and inputs that look like paths for agents that cannot read files. */
export function checkPathInputs(scope: CheckScope): void {
  for (const { step, where, valueAt } of scope.steps) {
    if (!("inputs" in step)) continue
    for (const [name, text] of Object.entries(step.inputs)) {
      const path = /^\s*file:\/{0,2}(.*)$/is.exec(text)?.[1]?.trim()
      if (path === undefined) continue
      scope.report.error(
        "FV-IN-FILE",
        valueAt("inputs", name),
        `${where}: the input "${name}" is a file:// address, and inputs are not read from files`,
        `${name}: ${shown(path)}, and an agent with the tool read`,
      )
    }
  }
  for (const { step, where, keyAt } of scope.steps) {
    const tools = agentOf(scope, step)?.tools
    if (!runsAgent(step) || tools?.kind !== "list" || tools.names.some((t) => READERS.includes(t))) continue
    for (const name of Object.keys(step.inputs)) {
      if (/_(?:path|file)$/.test(name))
        scope.report.warn(
          "FV-PATH-READ",
          keyAt("inputs", name),
          `${where}: the input "${name}" looks like a path, but its agent has no tool to read files`,
          "add to the agent: tools: read",
        )
    }
  }
}

const READERS = ["read", "file.read", "bash", "shell.exec"]
