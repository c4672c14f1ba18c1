// Finds the flow of a start, its child flows, and the agents of their steps, or the reason why one of them does not load.

import { defined } from "../../../core/defined.ts"
import { hasErrors } from "../../../core/diagnostic.ts"
import { childFlowOf, DECIDER, runsChildren, type Flow, type Step } from "../../../core/flow/flow.ts"
import type { Result } from "../../../core/result.ts"
import { err, ok } from "../../../core/result.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { CatalogView } from "../catalog-view.ts"
import { readFlow } from "../check/language.ts"
import type { NotFound, Refused } from "./pin-refusal.ts"
import { notLoading, unknownAgent } from "./pin-refusal.ts"
import { subagentFlow } from "./subagent-flow.ts"

/** `entry` is absent for the one-agent flow, which is not in the catalog. */
export interface FoundFlow {
  readonly flow: Flow
  readonly entry?: CatalogEntry
  readonly text: string
}

export async function oneFlow(view: CatalogView, id: string): Promise<Result<FoundFlow, Refused | NotFound>> {
  const loaded = await view.flow(id)
  if (!loaded) return err({ ok: false, code: "not_found" })
  const { value: flow, entry, diagnostics } = loaded
  const errors = diagnostics.filter((d) => d.severity === "error")
  if (flow && errors.length === 0) return ok({ flow, entry, text: "" })
  if (errors.every((d) => NAMES_NOBODY.test(d.code))) {
    // The clearest message names the step and the agent.
    const draft = readFlow((await view.text(entry)) ?? "", id).value
    for (const { step, agent } of draft ? usesOf(draft, true) : []) {
      const found = await view.agent(agent)
      if (!found) return err(unknownAgent(view, agent, step, diagnostics))
      if (!found.value) return err(notLoading(`the agent "${agent}"`, found, step))
    }
  }
  return err(notLoading(`the flow "${id}"`, loaded))
}

const NAMES_NOBODY = /^FV-(AGENT(-.*)?|FORK-AGENT)$/

export async function oneAgent(view: CatalogView, name: string): Promise<Result<FoundFlow, Refused>> {
  const agent = await view.agent(name)
  if (!agent) return err(unknownAgent(view, name, undefined, []))
  if (!agent.value || hasErrors(agent.diagnostics)) return err(notLoading(`the agent "${name}"`, agent))
  return ok(subagentFlow(agent.value))
}

export interface Use {
  readonly step: string
  readonly agent: string
  /** The step's own `model:`. */
  readonly model?: string
  /** The step's flow, if it runs as a child of the started flow. */
  readonly child?: string
  /** A step names the agent; absent: another agent may call it. */
  readonly isOfStep?: true
}

/** The key of its model in the pins: steps of two flows may have the same name. */
export const modelKeyOf = ({ step, agent, model, child }: Use): string =>
  model === undefined ? agent : child === undefined ? `${agent}@${step}` : `${agent}@${child}/${step}`

export function usesOf(flow: Flow, autonomous: boolean, child?: string): readonly Use[] {
  return flow.steps.flatMap((step: Step) => {
    const named = "agent" in step ? step.agent : undefined
    // [F21] In an autonomous run, the decider decides a fork that names no agent.
    const agent = named ?? (step.type === "fork" && autonomous ? DECIDER : undefined)
    if (agent === undefined) return []
    const model = "model" in step ? step.model : undefined
    return [{ step: step.id, agent, isOfStep: true, ...defined({ model, child }) }]
  })
}

const MAX_FLOWS = 100 // limit: child flows of one run → 422 `unsupported`

/** [F23] The child flows of `root`, direct and indirect, each once; includes `root` if it leads back to itself. */
export async function childrenOf(
  view: CatalogView,
  root: Flow,
): Promise<Result<readonly (FoundFlow & { readonly entry: CatalogEntry })[], Refused>> {
  const children = new Map<string, FoundFlow & { readonly entry: CatalogEntry }>()
  const open = [root]
  for (let flow = open.pop(); flow; flow = open.pop()) {
    for (const step of flow.steps) {
      const id = runsChildren(step) ? childFlowOf(step) : undefined
      if (id === undefined || children.has(id)) continue
      const child = await oneFlow(view, id)
      if (!child.ok) {
        const why = child.error.code === "not_found" ? `there is no flow "${id}"` : child.error.message
        const diagnostics = child.error.code === "not_found" ? [] : child.error.diagnostics
        return err({ ok: false, code: "invalid_flow", message: `step "${step.id}" of "${flow.id}": ${why}`, step: step.id, diagnostics })
      }
      const { entry } = child.value
      if (!entry) throw new Error(`the flow "${id}" is not in the catalog`)
      children.set(id, { ...child.value, entry })
      if (children.size > MAX_FLOWS)
        return err({ ok: false, code: "unsupported", message: `the flow leads to more than ${MAX_FLOWS} other flows`, diagnostics: [] })
      open.push(child.value.flow)
    }
  }
  return ok([...children.values()])
}
