// Checks a handler's file [F24]: a function as its default export, and nothing from outside the file.

import type { Diagnostic, Severity } from "../../core/diagnostic.ts"
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts"
import { placesOf } from "../../core/flow/parse/place.ts"
import { isTypeImport } from "./erase-types.ts"
import { child, children, walk, type HandlerSource, type SyntaxNode } from "./handler-source.ts"

export function checkHandler({ text, program }: HandlerSource): readonly Diagnostic[] {
  const at = placesOf(text)
  const found: Diagnostic[] = []
  const say = (severity: Severity, code: DiagnosticCode, node: SyntaxNode, message: string, suggestion: string): void => {
    found.push({ code, ...at(node.start), severity, message, suggestion })
  }
  const outside = (node: SyntaxNode, what: string): void =>
    say(
      "error",
      "CV-IMPORT",
      node,
      `${what}: a handler is one file and reaches nothing outside it`,
      "copy what it needs into this file; `import type` is allowed",
    )

  walk(program, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
        if (!isTypeImport(node)) outside(node, "an import")
        return false
      case "TSImportEqualsDeclaration":
        if (node["importKind"] !== "type") outside(node, "an import")
        return false
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
        if (child(node, "source") && node["exportKind"] !== "type") outside(node, "an export from another module")
        return true
      case "ImportExpression":
        outside(node, "a dynamic import")
        return true
      case "CallExpression":
      case "NewExpression": {
        const callee = child(node, "callee")
        const name = callee?.type === "Identifier" ? callee["name"] : undefined
        if (name === "require") outside(node, "a call of require")
        if (name === "eval" || name === "Function")
          say(
            "warning",
            "CV-POWER",
            node,
            `${String(name)} creates code from text, which the platform refuses`,
            "write the code into the file",
          )
        if (name === "fetch" || name === "WebSocket")
          say(
            "warning",
            "CV-POWER",
            node,
            `${String(name)} will fail: a handler has no network`,
            "let an agent with a tool fetch it, and pass it as an input",
          )
        return true
      }
      default:
        // Types may name modules and have members, but they never run.
        return node.type !== "TSTypeAnnotation" && node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration"
    }
  })

  const fault = faultOfDefault(program)
  if (fault) say("error", "CV-DEFAULT", fault.node, fault.message, "export default function (input, ctx) { return {} }")
  return found
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
