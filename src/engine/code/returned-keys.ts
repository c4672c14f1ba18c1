// Finds what a handler visibly returns [F24]: the object literals behind the `return`s of its default export. A return of anything else,
// such as a variable or a call, shows nothing, and neither does an object with a spread or a computed key.

import { child, children, walk, type SyntaxNode } from "./handler-source.ts"

export interface ReturnedKeys {
  readonly node: SyntaxNode
  readonly members: readonly { readonly name: string; readonly node: SyntaxNode; readonly value: SyntaxNode | undefined }[]
}

const FUNCTIONS: ReadonlySet<string> = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])
/** Around a value: types that are removed, and a wait for it. */
const WRAPPERS: ReadonlySet<string> = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "ParenthesizedExpression"])

export function returnedBy(program: SyntaxNode): readonly ReturnedKeys[] {
  const handler = defaultFunction(program)
  const body = handler === undefined ? undefined : child(handler, "body")
  if (body === undefined) return []
  if (body.type !== "BlockStatement") return objectsOf(body)
  const found: ReturnedKeys[] = []
  walk(body, (node) => {
    if (FUNCTIONS.has(node.type) || node.type === "ClassBody") return false
    const value = node.type === "ReturnStatement" ? child(node, "argument") : undefined
    if (value !== undefined) found.push(...objectsOf(value))
    return true
  })
  return found
}

/** `export default function`, `export default (input) => …`, or the top-level function whose name is exported. */
function defaultFunction(program: SyntaxNode): SyntaxNode | undefined {
  const statements = children(program, "body")
  const exported = statements.find((node) => node.type === "ExportDefaultDeclaration")
  const value = exported === undefined ? undefined : bare(child(exported, "declaration"))
  if (value === undefined || FUNCTIONS.has(value.type)) return value
  const name = value.type === "Identifier" ? value["name"] : undefined
  for (const statement of name === undefined ? [] : statements) {
    if (statement.type === "FunctionDeclaration" && child(statement, "id")?.["name"] === name) return statement
    if (statement.type !== "VariableDeclaration" || statement["kind"] !== "const") continue
    const made = children(statement, "declarations").find((one) => child(one, "id")?.["name"] === name)
    const init = made === undefined ? undefined : bare(child(made, "init"))
    if (init !== undefined && FUNCTIONS.has(init.type)) return init
  }
  return undefined
}

function objectsOf(value: SyntaxNode): readonly ReturnedKeys[] {
  const node = bare(value)
  if (node?.type === "ConditionalExpression")
    return [child(node, "consequent"), child(node, "alternate")].flatMap((one) => objectOf(bare(one)) ?? [])
  return [objectOf(node)].flatMap((one) => one ?? [])
}

function objectOf(node: SyntaxNode | undefined): ReturnedKeys | undefined {
  if (node?.type !== "ObjectExpression") return undefined
  const members = children(node, "properties").map((property) => {
    const key = property.type === "Property" && property["computed"] !== true ? child(property, "key") : undefined
    const name = key?.["name"] ?? key?.["value"]
    return typeof name === "string" ? { name, node: property, value: bare(child(property, "value")) } : undefined
  })
  // `{}` stands in handlers that are not written yet.
  return members.length > 0 && members.every((member) => member !== undefined) ? { node, members } : undefined
}

function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  let inner = node
  while (inner !== undefined && WRAPPERS.has(inner.type)) inner = child(inner, "expression")
  return inner
}
