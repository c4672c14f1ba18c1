// Checks a handler's file [F24]: a function as its default export, and nothing from outside the file.

import type { Diagnostic, Severity } from "../../core/diagnostic.ts"
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts"
import { isBundle } from "../../core/flow/code-bundle.ts"
import { placesOf } from "../../core/flow/parse/place.ts"
import { isTypeImport } from "./erase-types.ts"
import { child, children, walk, type HandlerSource, type SyntaxNode } from "./handler-source.ts"

export function checkHandler(source: HandlerSource): readonly Diagnostic[] {
  const outside = outsideOf(source).map(({ node, what }) =>
    found(source, "error", "CV-IMPORT", node, `${what}: a handler is one file and reaches nothing outside it`, IN_ONE_FILE),
  )
  return [...outside, ...powersOf(source), ...defaultFault(source)]
}

const IN_ONE_FILE =
  "copy what it needs into this file, or let the command line bundle it: sluice apply sends a handler together with what it imports; `import type` is allowed"

const found = (
  { text }: HandlerSource,
  severity: Severity,
  code: DiagnosticCode,
  node: SyntaxNode,
  message: string,
  suggestion: string,
): Diagnostic => ({ code, ...placesOf(text)(node.start), severity, message, suggestion })

interface Outside {
  readonly node: SyntaxNode
  /** Begins a sentence. */
  readonly what: string
  /** The module, if it stands in the file. */
  readonly module?: string
}

/** Where the file asks for another module while it runs. */
export function outsideOf({ program }: HandlerSource): readonly Outside[] {
  const all: Outside[] = []
  const say = (node: SyntaxNode, what: string, source: SyntaxNode | undefined): void => {
    const module = source?.["value"]
    all.push({ node, what, ...(typeof module === "string" ? { module } : {}) })
  }
  walk(program, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
        if (!isTypeImport(node)) say(node, "an import", child(node, "source"))
        return false
      case "TSImportEqualsDeclaration":
        if (node["importKind"] !== "type") say(node, "an import", undefined)
        return false
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
        if (child(node, "source") && node["exportKind"] !== "type") say(node, "an export from another module", child(node, "source"))
        return true
      case "ImportExpression":
        say(node, "a dynamic import", child(node, "source"))
        return true
      case "CallExpression":
      case "NewExpression":
        if (calleeOf(node) === "require") say(node, "a call of require", children(node, "arguments")[0])
        return true
      default:
        return runs(node)
    }
  })
  return all
}

/** What fails when it is called, because an isolate does not have it. */
export function powersOf(source: HandlerSource): readonly Diagnostic[] {
  const all: Diagnostic[] = []
  // Packages look for them before they use them.
  const absent = isBundle(source.text)
    ? []
    : NODES.filter((name) => !new RegExp(`(?:typeof|const|let|var|import|function|class)\\W+${name}\\b`).test(source.text))
  walk(source.program, (node) => {
    const name = node.type === "CallExpression" || node.type === "NewExpression" ? calleeOf(node) : undefined
    if (name === "eval" || name === "Function")
      all.push(
        found(
          source,
          "warning",
          "CV-POWER",
          node,
          `${name} creates code from text, which the platform refuses`,
          "write the code into the file",
        ),
      )
    if (name === "fetch" || name === "WebSocket")
      all.push(
        found(
          source,
          "warning",
          "CV-POWER",
          node,
          `${name} will fail: a handler has no network`,
          "let an agent with a tool fetch it, and pass it as an input",
        ),
      )
    const owner = node.type === "MemberExpression" ? child(node, "object") : undefined
    const global = owner?.type === "Identifier" ? absent.find((one) => one === owner["name"]) : undefined
    if (global !== undefined)
      all.push(
        found(
          source,
          "warning",
          "CV-POWER",
          node,
          `${global} will fail: it is part of Node, and a handler runs in an isolate without it`,
          NODES_INSTEAD[global],
        ),
      )
    return node.type === "ImportDeclaration" ? false : runs(node)
  })
  return all
}

const NODES_INSTEAD = {
  process: "pass what it needs as an input of the step",
  Buffer: "use Uint8Array, TextEncoder, atob and btoa",
} as const
const NODES = ["process", "Buffer"] as const

const calleeOf = (node: SyntaxNode): string | undefined => {
  const callee = child(node, "callee")
  const name = callee?.type === "Identifier" ? callee["name"] : undefined
  return typeof name === "string" ? name : undefined
}

/** Types may name modules and have members, but they never run. */
const runs = (node: SyntaxNode): boolean =>
  node.type !== "TSTypeAnnotation" && node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration"

export function defaultFault(source: HandlerSource): readonly Diagnostic[] {
  const fault = faultOfDefault(source.program)
  return fault === undefined
    ? []
    : [found(source, "error", "CV-DEFAULT", fault.node, fault.message, "export default function (input, ctx) { return {} }")]
}

function faultOfDefault(program: SyntaxNode): { readonly node: SyntaxNode; readonly message: string } | undefined {
  for (const node of children(program, "body")) {
    if (node.type === "ExportNamedDeclaration" && children(node, "specifiers").some((s) => isNamedDefault(child(s, "exported"))))
      return undefined
    if (node.type !== "ExportDefaultDeclaration") continue
    const value = child(node, "declaration")
    if (value === undefined || value.type === "TSInterfaceDeclaration" || value.type === "TSDeclareFunction") continue
    if (NO_FUNCTION.has(value.type)) return { node: value, message: "the default export is not a function" }
    if (value["generator"] === true)
      return { node: value, message: "the default export is a generator: it must return its result, or a promise of it" }
    return undefined
  }
  return { node: program, message: "the handler has no default export" }
}

const isNamedDefault = (name: SyntaxNode | undefined): boolean => name?.["name"] === "default" || name?.["value"] === "default"

// A class is a function that cannot be called; other values are checked at run time.
const NO_FUNCTION: ReadonlySet<string> = new Set([
  "ClassDeclaration",
  "ClassExpression",
  "Literal",
  "TemplateLiteral",
  "ObjectExpression",
  "ArrayExpression",
])
