// Translates template forms of other systems [F3, F43]: `steps.a.outputs.b` is `result.a.b`, `inputs.x` is `flow.input.x`, `task | upper`
// is `task`. The form is only suggested; such templates are never evaluated.

import { meant, type Meant } from "../text/member-path.ts"
import { parseReference, ROOTS } from "./template.ts"

export interface KnownNames {
  readonly steps: readonly string[]
  /** The flow's inputs. */
  readonly inputs: readonly string[]
}

/** The words that other systems put between a step's id and an output's name. */
export const WRAPPERS: readonly string[] = ["outputs", "output", "result", "results", "json", "data", "value", "values"]
const STEP_ROOTS = ["steps", "step", "needs", "jobs", "nodes", "tasks", "results"]
const INPUT_ROOTS = ["inputs", "params", "parameters", "args", "arguments"]
const CONFIG_ROOTS = ["vars", "env", "variables", "configs", "settings", "values", "chart", "release"]
const EVENT_ROOTS = ["event", "payload", "body", "request"]
const ITEM_ROOTS = ["matrix", "each", "element"]
const OTHERS = ["github", "workflow", "secrets", "prev", "previous"]
const FOREIGN_ROOTS: readonly string[] = [...STEP_ROOTS, ...INPUT_ROOTS, ...CONFIG_ROOTS, ...EVENT_ROOTS, ...ITEM_ROOTS, ...OTHERS]

/** The dotted name at the front of an expression: without a filter, an index or a leading dot. */
const nameOf = (expr: string): string => /^\s*\.?([A-Za-z_][\w.-]*)/.exec(expr)?.[1]?.replace(/\.+$/, "") ?? ""

/** Only these hold names that others chose. */
const OPEN_ROOTS = ["trigger", "item", "config"]

/** The names of a path that only lacks its brackets. */
export function meantIn(inside: string): Meant | undefined {
  const other = meant(inside)
  return OPEN_ROOTS.includes(other?.names[0] ?? "") ? other : undefined
}

/** Tells whether the text between two braces was meant as a template: it begins with a known word, a step, an input, or a dot as in Helm. */
export function isMeant(expr: string, known: KnownNames): boolean {
  if (/^\s*\.[A-Za-z_]/.test(expr)) return true
  const [root = ""] = nameOf(expr).split(".")
  return ROOTS.includes(root) || FOREIGN_ROOTS.includes(root) || known.steps.includes(root) || known.inputs.includes(root)
}

/** The Sluice form with the same meaning, such as `${{result.a.b}}`; undefined if there is none. */
export function spelling(expr: string, known: KnownNames): string | undefined {
  const name = nameOf(expr)
  const said = /^\s*\./.test(expr) ? `values.${name.replace(/^Values\.?/, "")}` : name
  const form = formOf(said, known)
  return form === undefined ? undefined : `\${{${form}}}`
}

function formOf(name: string, known: KnownNames): string | undefined {
  const [root = "", ...rest] = name.split(".")
  const [first] = rest
  if (root === "flow" && INPUT_ROOTS.includes(first ?? "")) return orForm(`flow.input.${rest.slice(1).join(".")}`, "flow.input.NAME")
  if (root === "workflow") return orForm(`flow.input.${rest.slice(1).join(".")}`, "flow.input.NAME")
  if (root === "github") return orForm(`trigger.body.${rest.slice(1).join(".")}`, "trigger.body.FIELD")
  if (STEP_ROOTS.includes(root) || (root === "result" && parseReference(name, known.steps) === undefined)) return result(rest, known)
  if (INPUT_ROOTS.includes(root)) return orForm(`flow.input.${rest.join(".")}`, "flow.input.NAME")
  if (EVENT_ROOTS.includes(root)) return orForm(`trigger.body.${rest.join(".")}`, "trigger.body.FIELD")
  if (ITEM_ROOTS.includes(root)) return orForm(`item.${rest.join(".")}`, "item")
  if (root === "prev" || root === "previous") return "result.STEP"
  if (known.steps.includes(root)) return result([root, ...rest], known)
  if (known.inputs.includes(root)) return `flow.input.${root}`
  if (CONFIG_ROOTS.includes(root)) return orForm(`config.${rest.join(".")}`, "config.KEY")
  if (root === "task") return "task"
  return parseReference(name, known.steps) === undefined ? undefined : name
}

const orForm = (form: string, otherwise: string): string => (parseReference(form) === undefined ? otherwise : form)

/** `a.outputs.b` → `result.a.b`. */
function result([step, ...rest]: readonly string[], { steps }: KnownNames): string {
  const field = rest.find((part) => !WRAPPERS.includes(part)) ?? ""
  const form = `result.${step ?? "STEP"}${field === "" ? "" : `.${field}`}`
  return orForm(parseReference(form, steps) === undefined ? "" : form, "result.STEP.FIELD")
}
