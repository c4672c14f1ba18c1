// Parses a handler file into a syntax tree. Strict: code that a JavaScript engine would refuse is refused here, with its place.
//
// Parsing TypeScript means trying several readings, and the tries nest: a hundred characters of `f<T>(f<T>(…` would
// take hours. So every token counts, including tries, and a file that needs too many is refused. Declared names count too,
// because the search for duplicates is quadratic.

import { tsPlugin } from "@sveltejs/acorn-typescript"
import { Parser } from "acorn"
import { err, ok, type Result } from "../../core/result.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import { placesOf } from "../../core/flow/parse/place.ts"
import { isBundle } from "../../core/flow/code-bundle.ts"
import { MAX_BUNDLE_BYTES, MAX_CODE_BYTES, type CodeLanguage } from "../../core/flow/code-file.ts"
import { utf8Length } from "../../core/text/utf8.ts"

/** A node of the tree, ESTree or TypeScript's. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface HandlerSource {
  readonly text: string
  readonly program: SyntaxNode
}

/** 256 KiB of dense real code has 70,000 tokens. */
const MAX_TOKENS = 150_000 // limit: tokens of a handler → `CV-LIMIT`: the file is not written
const MAX_NAMES = 5_000 // limit: names of a handler in one scope, or as much to compare → `CV-LIMIT`: the file is not written
/** JavaScript has one reading, so its tokens are only work. All of zod has 133,000, all of lodash 47,000. */
const MAX_BUNDLE_TOKENS = 200_000 // limit: tokens of a bundled handler → `CV-LIMIT`: the file is not written

class TooMuch extends Error {}

/** Members of acorn's Parser that its types do not declare. */
interface Open {
  readonly input: string
  readonly scopeStack: readonly {
    readonly var: readonly string[]
    readonly lexical: readonly string[]
    readonly functions: readonly string[]
  }[]
  nextToken(): void
  declareName(name: string, kind: number, at: number): void
}
type OpenParser = { new (options: object, text: string): Open; parse(text: string, options: object): unknown }

function counting(base: unknown): OpenParser {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- acorn documents overriding these, and types none of them
  const Base = base as OpenParser
  return class extends Base {
    tokens = 0
    /** Names that were looked through for a second declaration. */
    compared = 0
    override nextToken(): void {
      if (++this.tokens > (isBundle(this.input) ? MAX_BUNDLE_TOKENS : MAX_TOKENS)) throw new TooMuch("it is too long or too deeply nested")
      super.nextToken()
    }
    override declareName(name: string, kind: number, at: number): void {
      const scope = this.scopeStack.at(-1)
      if (scope !== undefined) this.compared += scope.var.length + scope.lexical.length + scope.functions.length
      if (this.compared > (MAX_NAMES * MAX_NAMES) / 2) throw new TooMuch(`it declares too many names: at most ${MAX_NAMES} in one place`)
      super.declareName(name, kind, at)
    }
  }
}

const PARSERS: Readonly<Record<CodeLanguage, OpenParser>> = {
  ts: counting(Parser.extend(tsPlugin())),
  js: counting(Parser),
}

/** `preserveParens`: parentheses become nodes. */
export function readHandler(
  text: string,
  written: CodeLanguage,
  options: { readonly preserveParens?: boolean } = {},
): Result<HandlerSource, Diagnostic> {
  const language = languageOf(text, written)
  const most = isBundle(text) ? MAX_BUNDLE_BYTES : MAX_CODE_BYTES
  if (utf8Length(text) > most)
    return err({
      code: "CV-LIMIT",
      line: 1,
      severity: "error",
      message: `the ${isBundle(text) ? "bundled handler" : "handler"} is larger than ${most / 1024} KiB`,
    })
  try {
    const program = PARSERS[language].parse(text, { ecmaVersion: "latest", sourceType: "module", allowHashBang: false, ...options })
    if (isNode(program)) return ok({ text, program })
    throw new Error("acorn returned no tree")
  } catch (error) {
    if (error instanceof TooMuch || !(error instanceof SyntaxError)) {
      // Other errors, such as a stack overflow, come only from text that no person wrote by hand.
      const why = error instanceof TooMuch ? error.message : "its nesting is too deep or too complex"
      return err({ code: "CV-LIMIT", line: 1, severity: "error", message: `the handler cannot be checked: ${why}` })
    }
    const pos = "pos" in error && typeof error.pos === "number" ? error.pos : 0
    const message = error.message.replace(/ \(\d+:\d+\)$/, "")
    return err({ code: "CV-PARSE", ...placesOf(text)(pos), severity: "error", message: `this is not ${LANGUAGE[language]}: ${message}` })
  }
}

/** A bundle keeps the path of the file that it was made from, and is JavaScript. */
export const languageOf = (text: string, written: CodeLanguage): CodeLanguage => (isBundle(text) ? "js" : written)

const LANGUAGE: Readonly<Record<CodeLanguage, string>> = { ts: "TypeScript", js: "JavaScript" }

export const isNode = (x: unknown): x is SyntaxNode =>
  typeof x === "object" &&
  x !== null &&
  "type" in x &&
  typeof x.type === "string" &&
  "start" in x &&
  typeof x.start === "number" &&
  "end" in x &&
  typeof x.end === "number"

/** The member as a node, or undefined. */
export function child(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value = node[key]
  return isNode(value) ? value : undefined
}

/** The member as a list of nodes; holes of a pattern are left out. */
export function children(node: SyntaxNode, key: string): readonly SyntaxNode[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Visits every node, parents first; if `visit` returns false, the children are skipped. No recursion: the file controls the depth. */
export function walk(root: SyntaxNode, visit: (node: SyntaxNode, parent: SyntaxNode | undefined) => boolean): void {
  const open: { node: SyntaxNode; parent: SyntaxNode | undefined }[] = [{ node: root, parent: undefined }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next
    if (!visit(node, next.parent)) continue
    for (const value of Object.values(node).reverse()) {
      if (Array.isArray(value)) for (const item of [...value].reverse()) if (isNode(item)) open.push({ node: item, parent: node })
      if (isNode(value)) open.push({ node: value, parent: node })
    }
  }
}
