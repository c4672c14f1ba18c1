// Expands templates `${{ … }}` [F40–F42] in a single left-to-right pass, linear in the text. Inserted values are never expanded again.
//
// `$$` before `{{` is one `$`: `$${{` writes a literal `${{`, and `$$${{a}}` a `$` and the value. A form outside the grammar is left as is;
// a form of the grammar without a value becomes empty and is listed in `missing`. `${{a ?? b}}` is the first operand that has a value.

import { defined } from "../defined.ts"
import { loosePathSource, namesIn } from "../text/member-path.ts"

export type TemplateReference =
  | { readonly root: "task" }
  | { readonly root: "input"; readonly name: string }
  | { readonly root: "flow.input"; readonly name: string }
  | { readonly root: "config"; readonly key: string }
  /** Without `field`: the step's last assistant text, or its summary if there is none [F42]. `path`: into the `data` of a tool step [F26]. */
  | { readonly root: "result"; readonly step: string; readonly field?: string; readonly path?: readonly string[] }
  | { readonly root: "loop"; readonly step: string; readonly field: "iteration" | "max" }
  | { readonly root: "fork"; readonly step: string; readonly field: "answer" | "notes" }
  /** [V24] Why the step is in a further round of its `until`. */
  | { readonly root: "until"; readonly step: string; readonly field: "round" | "score" | "reason" }
  | { readonly root: "run"; readonly field: "id" }
  /** The name for sticky sessions, given by the start [J25]. */
  | { readonly root: "session" }
  /** What was said before the message that started the run [P2]. */
  | { readonly root: "conversation" }
  /** [R4] The start's thread, or its run's id; in keys of a `start` block alone. */
  | { readonly root: "thread" }
  | { readonly root: "trigger"; readonly path: readonly string[] }
  /** In the task and inputs of a map step: the item, or the value at a path inside it, and its 0-based index in the list. */
  | { readonly root: "item"; readonly path: readonly string[] }
  | { readonly root: "index" }

/** The first word of each form, for "did you mean". */
export const ROOTS: readonly string[] = [
  "task",
  "input",
  "flow",
  "config",
  "result",
  "loop",
  "fork",
  "until",
  "run",
  "session",
  "conversation",
  "thread",
  "trigger",
  "item",
  "index",
]

/** The forms of each root, for messages. */
export const FORMS: Readonly<Record<string, string>> = {
  task: "${{task}}",
  input: "${{input.NAME}}",
  flow: "${{flow.input.NAME}}",
  config: "${{config.KEY}}",
  result: "${{result.STEP}} or ${{result.STEP.FIELD}}",
  loop: "${{loop.STEP.iteration}} or ${{loop.STEP.max}}",
  fork: "${{fork.STEP.answer}} or ${{fork.STEP.notes}}",
  until: "${{until.STEP.round}}, ${{until.STEP.score}} or ${{until.STEP.reason}}",
  run: "${{run.id}}",
  session: "${{session}}",
  conversation: "${{conversation}}",
  thread: "${{thread}}",
  trigger: "${{trigger.FIELD}}",
  item: "${{item}} or ${{item.FIELD}}",
  index: "${{index}}",
}

/** The fields that every step's result has besides its declared outputs [F41]. */
export const RESULT_FIELDS: readonly string[] = ["status", "summary", "files", "artifacts", "fullOutput"]

/** A reference of a form, or what stands in its place. `raw`: the form as written, or of several operands this one. */
export interface Operand {
  readonly ref?: TemplateReference
  readonly raw: string
  readonly expr?: string
  readonly offset: number
}

/** A form with its operands: one, or what `??` separates. `expr`: the text between its braces; undefined: it is broken. */
export interface Form {
  readonly raw: string
  readonly expr?: string
  readonly offset: number
  readonly operands: readonly Operand[]
}

type Piece =
  /** `kept`: the form at its end that is literal, because of the sign in front of it. */
  | {
      readonly kind: "text"
      readonly text: string
      readonly kept?: { readonly raw: string; readonly expr: string; readonly offset: number }
    }
  /** `expr` is the text between the braces; undefined unless it consists of paths. */
  | { readonly kind: "form"; readonly raw: string; readonly expr?: string; readonly offset: number }

const OPEN = "${{"
/** Between two operands. */
const OR = "??"
const PATH = loosePathSource("[A-Za-z0-9_-]")
const FORM = new RegExp(String.raw`\$\{\{[ \t]*(${PATH}(?:[ \t]*\?\?[ \t]*${PATH})*)[ \t]*\}\}`, "y")
const OPERAND = new RegExp(String.raw`[ \t]*(${PATH})[ \t]*(?:\?\?|$)`, "y")
// The most of a broken form that a message quotes. The limit also keeps a text of only `${{` linear.
const EXCERPT = 120

function* piecesOf(text: string): Generator<Piece> {
  let at = 0
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
    let from = open
    while (from > at && text[from - 1] === "$") from--
    const signs = open - from + 1
    FORM.lastIndex = open
    const match = FORM.exec(text)
    const expr = match?.[1]
    const before = text.slice(at, from) + "$".repeat(signs >> 1)
    if (signs % 2 === 0) {
      const kept = match && expr !== undefined ? { kept: { raw: text.slice(open - 1, open) + match[0], expr, offset: open - 1 } } : {}
      yield { kind: "text", text: `${before}{{`, ...kept }
      at = open + OPEN.length
      continue
    }
    if (before !== "") yield { kind: "text", text: before }
    if (match && expr !== undefined) {
      yield { kind: "form", raw: match[0], expr, offset: open }
      at = open + match[0].length
    } else {
      yield { kind: "form", raw: OPEN, offset: open }
      at = open + OPEN.length
    }
  }
  if (at < text.length) yield { kind: "text", text: text.slice(at) }
}

/** Every form in the text, valid or not. */
export function forms(text: string, stepIds?: readonly string[]): Form[] {
  const found: Form[] = []
  for (const piece of piecesOf(text)) {
    if (piece.kind === "text") continue
    const { raw, expr, offset } = piece
    if (expr === undefined) {
      const broken = { raw: brokenForm(text, offset), offset }
      found.push({ ...broken, operands: [broken] })
      continue
    }
    const parts = operandsIn(expr)
    const start = offset + raw.indexOf(expr, OPEN.length)
    const operands = parts.map((part): Operand => {
      const place = parts.length === 1 ? { raw, offset } : { raw: part.expr, offset: start + part.at }
      return { ...defined({ ref: parseReference(part.expr, stepIds) }), ...place, expr: part.expr }
    })
    found.push({ raw, expr, offset, operands })
  }
  return found
}

/** Every reference in the text, valid or not, in order. */
export const references = (text: string, stepIds?: readonly string[]): Operand[] =>
  text.includes(OPEN) ? forms(text, stepIds).flatMap(({ operands }) => operands) : []

function operandsIn(expr: string): { readonly expr: string; readonly at: number }[] {
  if (!expr.includes(OR)) return [{ expr, at: 0 }]
  const found = []
  for (OPERAND.lastIndex = 0; OPERAND.lastIndex < expr.length;) {
    const from = OPERAND.lastIndex
    const path = OPERAND.exec(expr)?.[1]
    if (path === undefined) return [{ expr, at: 0 }]
    found.push({ expr: path, at: expr.indexOf(path, from) })
  }
  return found
}

/** The references between the braces, if each operand is one. */
function refsIn(expr: string, stepIds: readonly string[] | undefined): TemplateReference[] | undefined {
  const refs = operandsIn(expr).map((operand) => parseReference(operand.expr, stepIds))
  return refs.every((ref) => ref !== undefined) ? refs : undefined
}

/** The number of characters outside forms. */
export const literalLength = (text: string): number => text.length - forms(text).reduce((n, { raw }) => n + raw.length, 0)

/** The valid forms that a `$` in front keeps as text: `cost $${{flow.input.a}}` prints the form. */
export function keptForms(
  text: string,
  stepIds?: readonly string[],
): { readonly ref: TemplateReference; readonly raw: string; readonly offset: number }[] {
  return [...piecesOf(text)].flatMap((piece) => {
    const kept = piece.kind === "text" ? piece.kept : undefined
    const ref = kept && refsIn(kept.expr, stepIds)?.[0]
    return kept && ref ? [{ ref, raw: kept.raw, offset: kept.offset }] : []
  })
}

/** Escapes a text: the result is a template that expands to it. */
export const literally = (text: string): string => text.replace(/(?<!\$)\$+(?=\{\{)/g, (signs) => signs + signs)

/** The operands, if the template is a single form with only spaces around it. */
export function onlyOperands(text: string, stepIds?: readonly string[]): readonly TemplateReference[] | undefined {
  const [only, ...more] = forms(text, stepIds)
  if (only === undefined || more.length > 0 || only.raw !== text.trim()) return undefined
  const refs = only.operands.map(({ ref }) => ref)
  return refs.every((ref) => ref !== undefined) ? refs : undefined
}

/** The reference, if the template is a single one with only spaces around it. */
export function onlyReference(text: string, stepIds?: readonly string[]): TemplateReference | undefined {
  const refs = onlyOperands(text, stepIds)
  return refs?.length === 1 ? refs[0] : undefined
}

/** From `${{` to its `}}`, the next `${{` or the end of the line, whichever comes first. */
function brokenForm(text: string, offset: number): string {
  const near = text.slice(offset, offset + EXCERPT)
  const next = near.indexOf(OPEN, OPEN.length)
  const close = near.indexOf("}}")
  const line = near.search(/[\r\n]/)
  const ends = [next, close < 0 ? -1 : close + 2, line].filter((i) => i >= 0)
  return near.slice(0, Math.min(near.length, ...ends)).trimEnd()
}

/**
 * Parses the text between the braces. `stepIds` resolve old ids that contain a dot: the longest matching id wins. A step that
 * does not exist still gives a reference, because only the check knows the steps.
 */
export function parseReference(expr: string, stepIds?: readonly string[]): TemplateReference | undefined {
  const parts = namesIn(expr)
  if (parts === undefined) return undefined
  const [root, first, second] = parts
  if (root === undefined) return undefined
  switch (root) {
    case "task":
    case "session":
    case "conversation":
    case "thread":
      return parts.length === 1 ? { root } : undefined
    case "input":
      return first !== undefined && parts.length === 2 ? { root, name: first } : undefined
    case "config":
      return first !== undefined && parts.length === 2 ? { root, key: first } : undefined
    case "flow":
      return first === "input" && second !== undefined && parts.length === 3 ? { root: "flow.input", name: second } : undefined
    case "run":
      return first === "id" && parts.length === 2 ? { root, field: first } : undefined
    case "trigger":
      return first === undefined ? undefined : { root, path: parts.slice(1) }
    case "item":
      return { root, path: parts.slice(1) }
    case "index":
      return parts.length === 1 ? { root } : undefined
    case "result": {
      const target = stepAndField(expr, parts, stepIds, DATA)
      return target === undefined || parts.length === 1 ? undefined : { root, ...target }
    }
    case "loop":
    case "fork":
    case "until": {
      const target = parts.length === 1 ? undefined : stepAndField(expr, parts, stepIds)
      if (target?.field === undefined) return undefined
      const { step, field } = target
      if (root === "loop") return field === "iteration" || field === "max" ? { root, step, field } : undefined
      if (root === "until") return field === "round" || field === "score" || field === "reason" ? { root, step, field } : undefined
      return field === "answer" || field === "notes" ? { root, step, field } : undefined
    }
    default:
      return undefined
  }
}

/** [F26] The field of a result that a template may reach into. */
export const DATA = "data"

interface StepAndField {
  readonly step: string
  readonly field?: string
  readonly path?: readonly string[]
}

/** `open`: the field that a path may follow. */
function stepAndField(
  expr: string,
  [root = "", id = "", name, ...more]: readonly string[],
  stepIds: readonly string[] = [],
  open?: string,
): StepAndField | undefined {
  // In brackets a dot is part of the name.
  if (expr.includes("[")) {
    if (more.length > 0) return name === open && name !== undefined ? { step: id, field: name, path: more } : undefined
    return { step: id, ...defined({ field: name }) }
  }
  const rest = expr.slice(root.length + 1)
  let best = ""
  for (const id of stepIds) if (id.length > best.length && (rest === id || rest.startsWith(`${id}.`))) best = id
  const cut = best !== "" ? best.length : rest.includes(".") ? rest.indexOf(".") : rest.length
  const step = rest.slice(0, cut)
  if (cut === rest.length) return { step }
  const [field = "", ...path] = rest.slice(cut + 1).split(".")
  if (path.length === 0) return { step, field }
  return field === open ? { step, field, path } : undefined
}

/** A part of an expanded template. `ref`: the reference whose value it is. */
export interface ExpandedPart {
  readonly text: string
  readonly ref?: TemplateReference
}

/** `missing` lists the valid forms without a value, each once, in order of appearance. */
export function expand(
  text: string,
  lookup: (ref: TemplateReference) => string | undefined,
  stepIds?: readonly string[],
  most: number = MAX_EXPANDED,
): { text: string; missing: string[]; cut: boolean } {
  const { parts, ...rest } = expandParts(text, lookup, stepIds, most)
  return { text: onlyTextOf(parts), ...rest }
}

export const onlyTextOf = (parts: readonly ExpandedPart[]): string => parts.map(({ text }) => text).join("")

/** The same in parts. */
export function expandParts(
  text: string,
  lookup: (ref: TemplateReference) => string | undefined,
  stepIds?: readonly string[],
  most: number = MAX_EXPANDED,
): { parts: ExpandedPart[]; missing: string[]; cut: boolean } {
  const parts: ExpandedPart[] = []
  const missing = new Set<string>()
  let left = most
  for (const piece of piecesOf(text)) {
    if (piece.kind === "text") {
      parts.push({ text: piece.text })
      continue
    }
    const refs = piece.expr === undefined ? undefined : refsIn(piece.expr, stepIds)
    if (refs === undefined) {
      parts.push({ text: piece.raw })
      continue
    }
    let ref: TemplateReference | undefined
    const value = firstOf(refs, (one) => lookup((ref = one)))
    if (value === undefined && piece.expr !== undefined) missing.add(piece.expr)
    const text = value ?? ""
    parts.push({ text: text.length <= left ? text : text.slice(0, Math.max(0, left)), ...defined({ ref }) })
    left -= text.length
  }
  return { parts, missing: [...missing], cut: left < 0 }
}

/** The value of the first operand that has one. */
export function firstOf<T>(refs: readonly TemplateReference[], lookup: (ref: TemplateReference) => T | undefined): T | undefined {
  for (const ref of refs) {
    const value = lookup(ref)
    if (value !== undefined) return value
  }
  return undefined
}

/** Characters that values may add to a template [S15]. Without a limit, 700 times `${{task}}` with a task of 1 MB gives 700 MB. */
export const MAX_EXPANDED = 2_000_000 // limit: characters that values add to a template → the rest is cut, with a warning in the journal

/** A value as text [F41]: objects and lists become compact JSON, null becomes empty. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
}
