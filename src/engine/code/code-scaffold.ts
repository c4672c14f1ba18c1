// Generates the initial text of a handler [F24, F25], and finds where an existing handler no longer matches its flow file (FV-DRIFT).
//
// The scaffold is generated from the step: its inputs, its outputs, its labels. It throws until its author replaces the body.

import { sortDiagnostics, type Diagnostic } from "../../core/diagnostic.ts"
import type { CodeDecisionStep, CodeStep } from "../../core/flow/flow.ts"
import { placesOf } from "../../core/flow/parse/place.ts"
import { nearest } from "../../core/text/nearest.ts"
import { onlyOperands, RESULT_FIELDS, type TemplateReference } from "../../core/flow/template.ts"
import { returnedBy } from "./returned-keys.ts"
import { child, children, readHandler, type HandlerSource, type SyntaxNode } from "./handler-source.ts"

type Step =
  | Pick<CodeStep, "type" | "id" | "inputs" | "outputs" | "tools">
  | Pick<CodeDecisionStep, "type" | "id" | "inputs" | "outputs" | "branches" | "tools">

const labelsOf = (step: Step): readonly string[] | undefined =>
  step.type === "code-decision" ? step.branches.map((branch) => branch.label) : undefined

export function codeScaffold(flow: string, step: Step, stepIds?: readonly string[]): string {
  const labels = labelsOf(step)
  const inputs = Object.entries(step.inputs).map(([name, template]) => `  readonly ${member(name, template, stepIds)}`)
  const outputs = step.outputs.map((name) => `  ${key(name)}: Json`)
  const branch = labels === undefined ? [] : [`  branch: ${labels.map((label) => JSON.stringify(label)).join(" | ")}`]
  return `// Handler of the step ${JSON.stringify(step.id)} in the flow ${JSON.stringify(flow)}. It runs in its own isolate: no network, no files. What it
// imports, of the project and of npm, is bundled by the command line.
// It returns exactly the keys of Output. A throw is a failure the flow may handle (on_error); a FlowHardError ends the run.

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

${shape("Input", inputs)}

${shape("Output", [...outputs, ...branch])}

interface Context {
  /** Aborted when the step's time is up. */
  readonly signal: AbortSignal
  /** Shown to readers of the run. */
  log(message: unknown): void
  /** The step's result as the run shows it; without it, the names of the outputs. */
  setSummary(text: string): void
  readonly flow: string
  readonly step: string
  readonly task: string${step.tools ? CALL : ""}
}

declare class FlowHardError extends Error {}

export default async function (input: Input, ctx: Context): Promise<Output> {
  throw new FlowHardError(\`the handler of \${ctx.flow}/\${ctx.step} is not written yet\`)
}
`
}

/** [F27] Of a step with `tools`. */
const CALL = `
  /** Calls a tool of the step's \`tools\`. The handler is run again from its beginning for each answer, so it must do the same each time. A
   *  tool that fails, or that a person refuses, throws a ToolError with \`state\`: failed, refused or uncertain. */
  call(tool: string, args?: object): Promise<{ readonly text: string; readonly data?: Json }>`

const shape = (name: string, members: readonly string[]): string =>
  members.length === 0 ? `interface ${name} {}` : `interface ${name} {\n${members.join("\n")}\n}`

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A template that is exactly one form keeps its JSON type, and is absent without a value; with text around it, the type is text. */
function member(name: string, template: string, stepIds: readonly string[] | undefined): string {
  const refs = onlyOperands(template, stepIds)
  if (refs === undefined) return `${key(name)}: string`
  const isGiven = refs.some(({ root }) => root === "task" || root === "run" || root === "loop" || root === "conversation")
  return `${key(name)}${isGiven ? "" : "?"}: ${refs.some((ref) => typeOf(ref) === "Json") ? "Json" : "string"}`
}

/** A standard field of a result is text. */
function typeOf(ref: TemplateReference): "Json" | "string" {
  if (ref.root === "flow.input" || ref.root === "config" || ref.root === "trigger") return "Json"
  if (ref.root !== "result" || ref.field === undefined) return "string"
  return ref.field === "files" || !RESULT_FIELDS.includes(ref.field) ? "Json" : "string"
}

/** Warnings with places in the handler. Only names are compared: of the types `Input` and `Output`, and of the objects it visibly returns. */
export function driftOf(text: string, step: Step): readonly Diagnostic[] {
  const source = readHandler(text.replace(/^\uFEFF/, ""), "ts")
  if (!source.ok) return []
  const labels = labelsOf(step)
  return sortDiagnostics([
    ...driftIn(source.value, "Input", Object.keys(step.inputs), "inputs", step.id),
    ...driftIn(source.value, "Output", [...step.outputs, ...(labels === undefined ? [] : ["branch"])], "outputs", step.id),
    ...(labels === undefined ? [] : labelDrift(source.value, labels, step.id)),
    ...returnDrift(source.value, step.outputs, labels, step.id),
  ])
}

function driftIn(source: HandlerSource, name: "Input" | "Output", wanted: readonly string[], said: string, step: string): Diagnostic[] {
  const declared = declarationOf(source.program, name)
  if (declared === undefined) return []
  const at = placesOf(source.text)
  const members = declared.members.flatMap((node) => {
    const found = memberName(node)
    return found === undefined ? [] : [{ node, name: found }]
  })
  const missing = declared.closed ? wanted.filter((one) => !members.some((member) => member.name === one)) : []
  const found: Diagnostic[] = []
  for (const { node, name: member } of members) {
    if (wanted.includes(member)) continue
    const near = nearest(member, missing) ?? nearest(member, wanted)
    const message = `${name} has "${member}", which is not among the ${said} of the step "${step}"`
    found.push(
      drift(at(node.start), message, near === undefined ? `take it out, or add it to the step's ${said}` : `did you mean "${near}"?`),
    )
  }
  for (const one of missing)
    found.push(
      drift(at(declared.node.start), `${name} lacks "${one}", which is among the ${said} of the step "${step}"`, `${key(one)}: Json`),
    )
  return found
}

/** A returned object whose keys are not exactly the outputs fails its step [F24]. */
function returnDrift(source: HandlerSource, outputs: readonly string[], labels: readonly string[] | undefined, step: string): Diagnostic[] {
  const at = placesOf(source.text)
  const wanted = labels === undefined ? outputs : [...outputs, "branch"]
  return returnedBy(source.program).flatMap(({ node, members }) => {
    const missing = wanted.filter((one) => !members.some(({ name }) => name === one))
    const extra = members
      .filter(({ name }) => !wanted.includes(name))
      .map(({ name, node: member }) => {
        const near = nearest(name, missing)
        const message = `the handler returns "${name}", which is not among the outputs of the step "${step}"`
        return drift(
          at(member.start),
          message,
          near === undefined ? `take it out, or add it to the step's outputs` : `did you mean "${near}"?`,
        )
      })
    const lacking = missing.map((one) =>
      drift(at(node.start), `the handler returns no "${one}", which is among the outputs of the step "${step}"`, `${key(one)}: …`),
    )
    const branch = members.find(({ name }) => name === "branch")?.value?.["value"]
    const wrong =
      labels === undefined || typeof branch !== "string" || labels.includes(branch)
        ? []
        : [
            drift(
              at(node.start),
              `the handler returns the branch ${JSON.stringify(branch)}, which is not a branch of the step "${step}"`,
              `one of ${labels.join(", ")}`,
            ),
          ]
    return [...extra, ...lacking, ...wrong]
  })
}

function labelDrift(source: HandlerSource, labels: readonly string[], step: string): Diagnostic[] {
  const member = declarationOf(source.program, "Output")?.members.find((node) => memberName(node) === "branch")
  const annotation = member === undefined ? undefined : child(member, "typeAnnotation")
  const type = annotation === undefined ? undefined : child(annotation, "typeAnnotation")
  if (member === undefined || type === undefined) return []
  const parts = type.type === "TSUnionType" ? children(type, "types") : [type]
  const said = parts.map((part) => child(part, "literal")?.["value"])
  if (!said.every((value) => typeof value === "string")) return []
  const extra = said.filter((value) => !labels.includes(value))
  const missing = labels.filter((label) => !said.includes(label))
  if (extra.length === 0 && missing.length === 0) return []
  const union = labels.map((label) => JSON.stringify(label)).join(" | ")
  return [
    drift(placesOf(source.text)(type.start), `the labels of Output.branch are not the branches of the step "${step}"`, `branch: ${union}`),
  ]
}

const drift = (at: { line: number; column: number }, message: string, suggestion: string): Diagnostic => ({
  code: "FV-DRIFT",
  ...at,
  severity: "warning",
  message,
  suggestion,
})

/** `interface NAME { … }` or `type NAME = { … }` at the top level of the file. `closed`: it has no members from elsewhere. */
function declarationOf(
  program: SyntaxNode,
  name: string,
): { readonly node: SyntaxNode; readonly members: readonly SyntaxNode[]; readonly closed: boolean } | undefined {
  for (const statement of children(program, "body")) {
    const node = statement.type === "ExportNamedDeclaration" ? child(statement, "declaration") : statement
    if (node === undefined || child(node, "id")?.["name"] !== name) continue
    const body =
      node.type === "TSInterfaceDeclaration"
        ? child(node, "body")
        : node.type === "TSTypeAliasDeclaration"
          ? child(node, "typeAnnotation")
          : undefined
    const members = body === undefined ? [] : children(body, body.type === "TSTypeLiteral" ? "members" : "body")
    if (body === undefined || (body.type !== "TSTypeLiteral" && body.type !== "TSInterfaceBody")) return undefined
    const closed = children(node, "extends").length === 0 && members.every((member) => memberName(member) !== undefined)
    return { node, members, closed }
  }
  return undefined
}

function memberName(node: SyntaxNode): string | undefined {
  const name = node["computed"] === true ? undefined : child(node, "key")
  const said = name?.["name"] ?? name?.["value"]
  return typeof said === "string" ? said : undefined
}
