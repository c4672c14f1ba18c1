// Writes `sluice.d.ts`: the inputs and outputs of a project's flows, agents and code steps, and the arguments of its tools. Pure.

import type { Agent } from "../../src/core/flow/agent.ts"
import { pathsOf } from "../../src/core/flow/check/flow-paths.ts"
import { childFlowOf, runsCode, type Flow, type Step } from "../../src/core/flow/flow.ts"
import { graphOf } from "../../src/core/flow/graph.ts"
import { onlyOperands, type TemplateReference } from "../../src/core/flow/template.ts"
import { codeIdOf } from "../../src/core/flow/code-file.ts"
import type { Json } from "../../src/core/json.ts"
import { JSON_TYPE, keyOf, objectOf, typeNamed, typeOfSchema, unionOf, type Member } from "./ts-type.ts"

export interface TypedProject {
  readonly flows: readonly Flow[]
  readonly agents: readonly Agent[]
  readonly tools: readonly { readonly name: string; readonly parameters?: Json; readonly description?: string }[]
  /** Handler's id → its file in TypeScript, as `sluice.d.ts` imports it. */
  readonly handlers: ReadonlyMap<string, string>
}

export function declarations(project: TypedProject, packageName: string): string {
  const flows = project.flows.map((flow) => row(flow.id, flow.description, flowType(project, flow)))
  const agents = project.agents.map((agent) => row(agent.name, agent.description, agentType(agent)))
  const handlers = project.flows.flatMap((flow) =>
    flow.steps.flatMap((step) =>
      runsCode(step) ? [row(codeIdOf(flow.id, step.id), step.description, handlerType(project, flow, step))] : [],
    ),
  )
  const tools = project.tools.map(({ name, description, parameters }) =>
    row(
      name,
      description,
      `{\n        readonly args: ${parameters === undefined ? OBJECT : typeOfSchema(parameters, "        ")}\n      }`,
    ),
  )
  return `// Made by \`sluice types\` and by \`sluice dev\` at each save, from flows, agents and tools. Commit it; do not edit it.
// It says what the project's flows, agents, code steps and tools take and give, for the client, handlers, React and tests.

import "${packageName}"

type ${JSON_TYPE} = string | number | boolean | null | readonly ${JSON_TYPE}[] | { readonly [key: string]: ${JSON_TYPE} }
type Given = string | number | boolean | null | Given[] | { [key: string]: Given }

/** What the handler returns under this name. */
type Made<Handler, Name extends string> = Handler extends (...given: never[]) => infer Result ? Member<Awaited<Result>, Name> : ${JSON_TYPE}
type Member<Result, Name extends string> = Result extends { readonly [N in Name]: infer Value } ? (unknown extends Value ? ${JSON_TYPE} : Value) : ${JSON_TYPE}

declare module "${packageName}" {
  interface Register {
    readonly flows: ${rows(flows)}
    readonly agents: ${rows(agents)}
    readonly handlers: ${rows(handlers)}
    readonly tools: ${rows(tools)}
  }
}

declare global {
  /** Thrown by a handler, it ends the run: no \`on_error\` is taken. */
  class FlowHardError extends Error {}
}
`
}

const OBJECT = `{ readonly [key: string]: ${JSON_TYPE} }`

interface Row {
  readonly name: string
  readonly lines: string
}
const row = (name: string, about: string | undefined, type: string): Row => ({
  name,
  lines: `${about === undefined || about.trim() === "" ? "" : `      /** ${about.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim()} */\n`}      readonly ${keyOf(name)}: ${type}`,
})
const rows = (all: readonly Row[]): string =>
  all.length === 0
    ? "Record<never, never>"
    : `{\n${[...all]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ lines }) => lines)
        .join("\n")}\n    }`

function flowType(project: TypedProject, flow: Flow): string {
  const input = Object.entries(flow.inputs).map(([name, spec]): Member => ({
    name,
    type: typeNamed(spec.type),
    isOptional: !spec.required || spec.default !== undefined,
    about: spec.description,
  }))
  const task = flow.task_required ? "required" : "optional"
  return parts({
    input: objectOf(input, "        "),
    output: flow.outputs === undefined ? JSON_TYPE : valuesType(project, flow, flow.outputs),
    task: JSON.stringify(task),
  })
}

function agentType({ inputs, outputs }: Agent): string {
  return parts({
    input: objectOf(
      inputs.map((name): Member => ({ name, type: "string", isOptional: true })),
      "        ",
    ),
    output: objectOf(
      outputs.map(({ name, type, pattern, required, description }): Member => ({
        name,
        type: typeNamed(type, pattern),
        isOptional: !required,
        about: description,
      })),
      "        ",
    ),
  })
}

function handlerType(project: TypedProject, flow: Flow, step: Extract<Step, { type: "code" | "code-decision" }>): string {
  const output = step.outputs.map((name): Member => ({ name, type: JSON_TYPE, isOptional: false }))
  const branch: readonly Member[] =
    step.type === "code-decision" ? [{ name: "branch", type: unionOf(step.branches.map(({ label }) => label)), isOptional: false }] : []
  // What a handler is given it may change: its own types need not say that they do not.
  const input = valuesType(project, flow, step.inputs, step.id)
    .replaceAll(`readonly ${JSON_TYPE}[]`, "Given[]")
    .replaceAll(OBJECT, "{ [key: string]: Given }")
    .replaceAll(new RegExp(`\\b${JSON_TYPE}\\b`, "g"), "Given")
  return parts({ input, output: objectOf([...output, ...branch], "        ") })
}

const parts = (all: Readonly<Record<string, string>>): string =>
  `{\n${Object.entries(all)
    .map(([name, type]) => `        readonly ${name}: ${type}`)
    .join("\n")}\n      }`

/** What templates become, for the flow's end or for a step. */
function valuesType(project: TypedProject, flow: Flow, templates: Readonly<Record<string, string>>, step?: string): string {
  const known = new Typing(project, flow, step)
  return objectOf(
    Object.entries(templates).map(([name, template]) => ({ name, ...known.template(template) })),
    "        ",
  )
}

type Typed = Pick<Member, "type" | "isOptional">
const always = (type: string): Typed => ({ type, isOptional: false })
const maybe = (type: string): Typed => ({ type, isOptional: true })

/** Flows that run flows are looked into so many times. */
const MOST_NESTED = 5

/** Whether a run of the flow `from` may run the flow `to`. */
function runs(project: TypedProject, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  const steps = project.flows.find(({ id }) => id === from)?.steps ?? []
  return steps.some((step) => (step.type === "flow-ref" || step.type === "map") && runs(project, childFlowOf(step), to, seen))
}

class Typing {
  readonly #project: TypedProject
  readonly #flow: Flow
  readonly #ids: readonly string[]
  readonly #mayMiss: (index: number) => boolean
  readonly #level: number
  /** The handlers whose own types may be named: those that the handler being typed gets nothing from in a circle. */
  readonly #isNamed: (index: number) => boolean
  /** The flow whose handler is typed. */
  readonly #of: string | undefined

  constructor(project: TypedProject, flow: Flow, step?: string, above?: Typing) {
    this.#project = project
    const level = above === undefined ? 0 : above.#level + 1
    const of = above === undefined ? step && flow.id : above.#of
    this.#of = of
    this.#flow = flow
    this.#ids = flow.steps.map(({ id }) => id)
    this.#level = level
    const paths = pathsOf(flow, graphOf(flow))
    const at = step === undefined ? -1 : this.#ids.indexOf(step)
    const isApart = of === undefined || (level > 0 && !runs(project, flow.id, of))
    this.#isNamed = (index) => isApart || (level === 0 && index < at)
    this.#mayMiss = (index) => (at < 0 ? paths.mayEndWithout(index) : index >= at || paths.mayMiss(at, index))
  }

  /** One reference, or the first of several that has a value, keeps its type; within other text it is text. */
  template(text: string): Typed {
    const operands = onlyOperands(text, this.#ids)
    if (operands === undefined) return always("string")
    const all = operands.map((ref) => this.#reference(ref))
    const last = all.findIndex(({ isOptional }) => !isOptional)
    const used = last < 0 ? all : all.slice(0, last + 1)
    return { type: [...new Set(used.map(({ type }) => type))].join(" | "), isOptional: last < 0 }
  }

  #reference(ref: TemplateReference): Typed {
    switch (ref.root) {
      case "flow.input": {
        const spec = this.#flow.inputs[ref.name]
        return spec === undefined
          ? maybe(JSON_TYPE)
          : { type: typeNamed(spec.type), isOptional: !spec.required && spec.default === undefined }
      }
      case "config":
      case "trigger":
      case "item":
        return maybe(JSON_TYPE)
      case "index":
        return always("number")
      case "result":
        return this.#result(ref.step, ref.field)
      case "task":
      case "run":
        return always("string")
      default:
        return maybe("string")
    }
  }

  #result(id: string, field: string | undefined): Typed {
    const index = this.#ids.indexOf(id)
    const step = this.#flow.steps[index]
    if (step === undefined) return maybe(JSON_TYPE)
    const { type, isOptional } = field === undefined ? always("string") : this.#output(step, field, index)
    return { type, isOptional: isOptional || this.#mayMiss(index) }
  }

  #output(step: Step, field: string, index: number): Typed {
    const own = OWN[field]
    if (own !== undefined) return field === "status" || field === "summary" ? always(own) : maybe(own)
    if ("agent" in step) {
      const spec = this.#project.agents.find(({ name }) => name === step.agent)?.outputs.find(({ name }) => name === field)
      return spec === undefined ? maybe(JSON_TYPE) : { type: typeNamed(spec.type, spec.pattern), isOptional: !spec.required }
    }
    if (step.type === "flow-ref") {
      const child = this.#project.flows.find(({ id }) => id === childFlowOf(step))
      const template = child?.outputs?.[field]
      return child === undefined || template === undefined || this.#level >= MOST_NESTED
        ? maybe(JSON_TYPE)
        : new Typing(this.#project, child, undefined, this).template(template)
    }
    // Of a step that failed and is gone on from, there is none.
    if (runsCode(step)) {
      const file = this.#isNamed(index) ? this.#project.handlers.get(codeIdOf(this.#flow.id, step.id)) : undefined
      const type = file === undefined ? JSON_TYPE : `Made<typeof import(${JSON.stringify(file)}).default, ${JSON.stringify(field)}>`
      return { type, isOptional: step.on_error !== undefined }
    }
    if (step.type === "map" && /^(?:total|succeeded|failed)$/.test(field)) return always("number")
    return maybe(JSON_TYPE)
  }
}

/** [F41] What every result has. */
const OWN: Readonly<Record<string, string>> = {
  status: unionOf(["complete", "error", "blocked"]),
  summary: "string",
  artifacts: "string",
  fullOutput: "string",
  files: 'readonly { readonly path: string; readonly action: "created" | "modified" | "read" }[]',
}
