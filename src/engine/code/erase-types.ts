// Converts TypeScript to JavaScript by replacing types with blanks: every line and column keeps its place, so an error in the handler
// points at the author's text. Constructs that are more than types (enums, namespaces, parameter properties) are refused with a suggestion.
//
// Over 300 lines: one function per erasable TypeScript construct; they only make sense together.

import type { Diagnostic } from "../../core/diagnostic.ts"
import { placesOf } from "../../core/flow/parse/place.ts"
import { child, children, walk, type HandlerSource, type SyntaxNode } from "./handler-source.ts"

export function eraseTypes(source: HandlerSource): { readonly code: string; readonly diagnostics: readonly Diagnostic[] } {
  const { text, program } = source
  const at = placesOf(text)
  const sheet = new Sheet(text)
  const diagnostics: Diagnostic[] = []
  const refuse = (node: SyntaxNode, message: string, suggestion: string): false => {
    diagnostics.push({ code: "CV-TYPES", ...at(node.start), severity: "error", message, suggestion })
    return false
  }
  /** Statements that may lose their last word, and with it the automatic semicolon that JavaScript inserts there. */
  const ends: SyntaxNode[] = []

  walk(program, (node, parent) => {
    if (ENDS.has(node.type) && !LOOPS.has(parent?.type ?? "") && text[node.end - 1] !== ";") ends.push(node)
    if (isWholeType(node)) {
      sheet.statement(node)
      return false
    }
    switch (node.type) {
      case "TSEnumDeclaration":
        return refuse(node, "an enum is more than a type and cannot be removed", 'const Color = { Red: "red" } as const')
      case "TSModuleDeclaration":
        return refuse(node, "a namespace is more than a type and cannot be removed", "plain functions and constants")
      case "TSParameterProperty":
        return refuse(node, "a parameter that declares a field is not supported", "a field, and an assignment in the constructor")
      case "TSTypeAssertion":
        return refuse(node, "a type assertion in angle brackets is not supported", "value as Type")
      case "Decorator":
        return refuse(node, "decorators are not supported", "call the function yourself")
      case "TSExportAssignment":
      case "TSNamespaceExportDeclaration":
        return refuse(node, "this form of export is not JavaScript", "export default")
      case "TSTypeAnnotation":
      case "TSTypeParameterDeclaration":
      case "TSTypeParameterInstantiation":
        sheet.erase(node.start, node.end)
        return false
      case "TSAsExpression":
      case "TSSatisfiesExpression": {
        const value = child(node, "expression")
        if (value) sheet.erase(sheet.pastBrackets(value.end), node.end)
        return true
      }
      case "TSNonNullExpression":
        sheet.erase(node.end - 1, node.end)
        return true
      case "BinaryExpression":
        return bindsOtherwise(node) ? refuse(node, "without the type, this would mean something else", "(a + b as number) * c") : true
      case "ImportSpecifier":
      case "ExportSpecifier":
        if (node["exportKind"] === "type" || node["importKind"] === "type") sheet.erase(node.start, sheet.pastComma(node.end))
        return true
      case "VariableDeclarator": {
        if (node["definite"] === true) sheet.mark(nameEnd(child(node, "id")), "!")
        return true
      }
      case "ClassDeclaration":
      case "ClassExpression":
        eraseHeritage(node, sheet)
        return true
      case "PropertyDefinition":
      case "MethodDefinition":
        if (node["accessor"] === true) return refuse(node, "the modifier accessor is not supported", "get and set")
        eraseMember(node, sheet)
        return true
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        eraseParameters(node, sheet)
        if (node.type === "ArrowFunctionExpression") keepArrowTogether(node, sheet)
        return true
      default:
        // `as` is followed by a bare type of one of many kinds, all named TS….
        return !node.type.startsWith("TS") || node.type === "TSInstantiationExpression"
    }
  })
  for (const node of ends) sheet.endStatement(node)
  return { code: sheet.toString(), diagnostics }
}

const ENDS: ReadonlySet<string> = new Set([
  "ExpressionStatement",
  "VariableDeclaration",
  "ReturnStatement",
  "ThrowStatement",
  "ExportDefaultDeclaration",
  "ExportNamedDeclaration",
  "PropertyDefinition",
])
const LOOPS: ReadonlySet<string> = new Set(["ForStatement", "ForOfStatement", "ForInStatement"])
const TYPES_ONLY: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "TSIndexSignature",
])

/** Statements and class members that are erased whole. */
function isWholeType(node: SyntaxNode): boolean {
  if (TYPES_ONLY.has(node.type) || node["declare"] === true) return true
  switch (node.type) {
    case "ImportDeclaration":
      return isTypeImport(node)
    case "TSImportEqualsDeclaration":
      return node["importKind"] === "type"
    case "ExportAllDeclaration":
      return node["exportKind"] === "type"
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration": {
      const declared = child(node, "declaration")
      return node["exportKind"] === "type" || (declared !== undefined && isWholeType(declared))
    }
    case "PropertyDefinition":
      return node["abstract"] === true
    case "MethodDefinition":
      return node["abstract"] === true || child(node, "value")?.type === "TSDeclareMethod"
    default:
      return false
  }
}

/** `import type …`, and `import { type A, type B }`, which would be left empty. */
export function isTypeImport(node: SyntaxNode): boolean {
  const specifiers = children(node, "specifiers")
  return node["importKind"] === "type" || (specifiers.length > 0 && specifiers.every((s) => s["importKind"] === "type"))
}

/** `1 + a as T * b` is `(1 + a) * b`; without the type it would be `1 + (a * b)`. */
function bindsOtherwise(node: SyntaxNode): boolean {
  const left = child(node, "left")
  if (
    left === undefined ||
    left.start !== node.start ||
    !["**", "*", "/", "%", "+", "-", "<<", ">>", ">>>"].includes(String(node["operator"]))
  )
    return false
  let value: SyntaxNode | undefined = left
  while (value?.type === "TSAsExpression" || value?.type === "TSSatisfiesExpression") value = child(value, "expression")
  return value !== left && value?.start === node.start && (value.type === "BinaryExpression" || value.type === "LogicalExpression")
}

function eraseHeritage(node: SyntaxNode, sheet: Sheet): void {
  if (node["abstract"] === true) sheet.word(node.start, "abstract")
  const list = children(node, "implements")
  const last = list.at(-1)
  if (last === undefined) return
  const before = child(node, "superTypeParameters") ?? child(node, "superClass") ?? child(node, "typeParameters") ?? child(node, "id")
  const start = sheet.pastBrackets(before?.end ?? sheet.pastWord(node.start, "class"))
  sheet.erase(start, last.end)
}

const MODIFIERS: ReadonlySet<string> = new Set(["private", "public", "protected", "readonly", "override"])

function eraseMember(node: SyntaxNode, sheet: Sheet): void {
  const key = child(node, "key")
  if (key === undefined) return
  for (let i = sheet.past(node.start), first = true; i < key.start; first = false) {
    const word = sheet.wordAt(i)
    if (word === "") break
    if (MODIFIERS.has(word)) {
      sheet.erase(i, i + word.length)
      // The previous field may end only because this word follows: `a = 1 ⏎ private ["b"] = 2`.
      if (first) sheet.put(i, ";")
    }
    i = sheet.past(i + word.length)
  }
  const end = node["computed"] === true ? sheet.pastChar(key.end, "]") : key.end
  if (node["optional"] === true) sheet.mark(end, "?")
  if (node["definite"] === true) sheet.mark(end, "!")
}

function eraseParameters(node: SyntaxNode, sheet: Sheet): void {
  children(node, "params").forEach((param, i) => {
    if (i === 0 && param.type === "Identifier" && param["name"] === "this") sheet.erase(param.start, sheet.pastComma(param.end))
    else if (param["optional"] === true) sheet.mark(nameEnd(param), "?")
  })
}

/** No line may end between `)` and `=>`, or between `async` and `(`: the parenthesis moves to the other side of the blanks. */
function keepArrowTogether(node: SyntaxNode, sheet: Sheet): void {
  const types = child(node, "typeParameters")
  const params = children(node, "params")
  const result = child(node, "returnType")
  const afterAsync = node["async"] === true ? sheet.pastWord(node.start, "async") : node.start
  if (types && node["async"] === true) {
    const opening = sheet.past(types.end)
    if (sheet.breaks(afterAsync, opening)) {
      sheet.erase(opening, opening + 1)
      sheet.put(types.start, "(")
    }
  }
  if (!result) return
  const from = params.at(-1)?.end ?? sheet.past(types?.end ?? afterAsync) + 1
  const closing = sheet.lastBracket(from, result.start)
  if (closing !== undefined && sheet.breaks(closing, result.end)) {
    sheet.erase(closing, closing + 1)
    sheet.put(result.end - 1, ")")
  }
}

const nameEnd = (id: SyntaxNode | undefined): number =>
  id !== undefined && typeof id["name"] === "string" ? id.start + id["name"].length : Number.POSITIVE_INFINITY

/** The text and the ranges to blank out. */
class Sheet {
  readonly #text: string
  readonly #ranges: { readonly start: number; readonly end: number }[] = []
  readonly #starts = new Map<number, number>()
  readonly #puts = new Map<number, string>()

  constructor(text: string) {
    this.#text = text
  }

  erase(start: number, end: number): void {
    if (!(start < end && end <= this.#text.length)) return
    this.#ranges.push({ start, end })
    this.#starts.set(end, Math.min(start, this.#starts.get(end) ?? start))
  }
  put(at: number, char: string): void {
    this.#puts.set(at, char)
  }
  /** Leaves a semicolon, so that the next statement does not join the previous one. */
  statement(node: SyntaxNode): void {
    this.erase(node.start, node.end)
    this.put(node.start, ";")
  }
  endStatement(node: SyntaxNode): void {
    const start = this.#starts.get(node.end)
    if (start !== undefined && !this.#puts.has(start)) this.put(start, ";")
  }
  mark(from: number, char: "?" | "!"): void {
    const at = this.past(from)
    if (this.#text[at] === char) this.erase(at, at + 1)
  }
  word(from: number, word: string): void {
    const at = this.past(from)
    if (this.wordAt(at) === word) this.erase(at, at + word.length)
  }
  wordAt(at: number): string {
    WORD.lastIndex = at
    return WORD.exec(this.#text)?.[0] ?? ""
  }
  pastWord(from: number, word: string): number {
    const at = this.past(from)
    return this.wordAt(at) === word ? at + word.length : at
  }
  pastChar(from: number, char: string): number {
    const at = this.past(from)
    return this.#text[at] === char ? at + 1 : from
  }
  pastComma(from: number): number {
    return this.pastChar(from, ",")
  }
  /** Past white space and comments. */
  past(from: number): number {
    SPACE.lastIndex = from
    return SPACE.exec(this.#text) ? SPACE.lastIndex : from
  }
  /** Past white space, comments and the `)` of parentheses that the tree does not show. */
  pastBrackets(from: number): number {
    let at = this.past(from)
    while (this.#text[at] === ")") at = this.past(at + 1)
    return at
  }
  lastBracket(from: number, to: number): number | undefined {
    let found: number | undefined
    for (let at = this.past(from); at < to && (this.#text[at] === ")" || this.#text[at] === ","); at = this.past(at + 1))
      if (this.#text[at] === ")") found = at
    return found
  }
  breaks(start: number, end: number): boolean {
    return /[\n\r\u2028\u2029]/.test(this.#text.slice(start, end))
  }

  toString(): string {
    const { length } = this.#text
    const ranges = this.#ranges.sort((a, b) => a.start - b.start || b.end - a.end)
    const parts: string[] = []
    let done = 0
    for (const { start, end } of ranges) {
      if (end <= done) continue
      const from = Math.max(start, done)
      parts.push(this.#text.slice(done, from), this.#text.slice(from, end).replace(/[^\n\r\u2028\u2029]/g, " "))
      done = end
    }
    parts.push(this.#text.slice(done, length))
    const blank = parts.join("")
    const out: string[] = []
    let last = 0
    for (const [at, char] of [...this.#puts].sort(([a], [b]) => a - b)) {
      out.push(blank.slice(last, at), char)
      last = at + 1
    }
    out.push(blank.slice(last))
    return out.join("")
  }
}

const WORD = /[A-Za-z]+/y
// A line comment ends before its line break; a block comment is closed, since the parser accepted it.
const SPACE = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y
