// Sites: places of a source where a fault can be made, by what its author would have forgotten. What is put there says that it was reached.

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export interface Site {
  readonly kind: Kind
  readonly start: number
  readonly end: number
  readonly to: string
}

type Kind =
  | "a wake-up left out"
  | "record for write"
  | "an await moved before a commit"
  | "a key not sent again"
  | "a comparison left out"
  | "a lease not ended"
  | "an alarm deleted while owed"
  | "an id reused"

/** What a fault's code sets when it makes a difference. */
const REACHED = "globalThis.plantedReached = true"
const NOTHING = `{ ${REACHED} }`
const instead = (expression: string): string => `(${REACHED}, ${expression})`
const orSo = (condition: string): string => `(${condition} || ${instead("true")})`

const WAKES = new Set(["want", "watch", "settle", "share", "wake"])
const ENDS = new Set(["giveBack", "release", "close", "end", "remove", "forget", "drop", "stop"])
const COMPARES = new Set(["===", "!==", "<", "<=", ">", ">="])
const WRITES = /\.(?:write|exec|put|tell|save|delete|add|remove|want)\(/
/** The schema asks so whether a write changes what starts are judged by; these are the tables of which it is true. */
const IS_GROUND = "RECORDS[table] === undefined"
const GROUND = /^ {2}(\w+):\s*"TABLE \w+/gm

/** A node by its members. */
const at = (node: Node | undefined, name: string): Node | undefined => {
  const found: unknown = node === undefined ? undefined : Reflect.get(node, name)
  return isNode(found) ? found : undefined
}
const all = (node: Node | undefined, name: string): readonly Node[] => {
  const found: unknown = node === undefined ? undefined : Reflect.get(node, name)
  return Array.isArray(found) ? found.filter(isNode) : []
}
const textOf = (node: Node | undefined, name: string): string => String(node === undefined ? "" : Reflect.get(node, name))
const isNode = (it: unknown): it is Node => typeof it === "object" && it !== null && "type" in it && "start" in it

/** The method that a call calls. */
function methodOf(call: Node | undefined): string {
  const callee = call?.type === "CallExpression" ? at(call, "callee") : undefined
  return callee?.type === "MemberExpression"
    ? textOf(at(callee, "property"), "name")
    : callee?.type === "Identifier"
      ? textOf(callee, "name")
      : ""
}

export function sitesOf(tree: Node, text: string): Site[] {
  const sites: Site[] = []
  const put = (kind: Kind, { start, end }: Pick<Node, "start" | "end">, to: string): void => void sites.push({ kind, start, end, to })
  const said = ({ start, end }: Node): string => text.slice(start, end)
  const visit = (node: Node): void => {
    statement(node, put, said)
    expression(node, put, said, text)
    for (const of of Object.values(node)) for (const child of Array.isArray(of) ? of : [of]) if (isNode(child)) visit(child)
  }
  visit(tree)
  return sites
}

type Put = (kind: Kind, where: Pick<Node, "start" | "end">, to: string) => void
type Said = (node: Node) => string

function statement(node: Node, put: Put, said: Said): void {
  const block = all(node, "body")
  for (const [i, first] of block.entries()) {
    const later = block.slice(i + 1).find((it) => WRITES.test(said(it)))
    if (!later || first.type !== "ExpressionStatement" || at(first, "expression")?.type !== "AwaitExpression") continue
    const [kind, next] = ["an await moved before a commit" as const, block[i + 1]]
    const promise = said(at(at(first, "expression"), "argument") ?? first)
    if (next === later && next.type === "ExpressionStatement")
      put(kind, { start: first.start, end: next.end }, `${said(next)}\n${said(first)}\n${REACHED}`)
    else put(kind, first, `{ ${REACHED}; void Promise.resolve(${promise}).catch(() => {}) }`)
  }
  const test = at(node, "test")
  if (node.type === "IfStatement" && at(node, "alternate") === undefined && test?.type === "BinaryExpression")
    put("a comparison left out", node, `if (${said(test)}) ${NOTHING}`)
  if (node.type !== "ExpressionStatement") return
  const own = at(node, "expression")
  const method = methodOf(own?.type === "AwaitExpression" ? at(own, "argument") : own)
  const of = said(node)
  if (WAKES.has(method)) put("a wake-up left out", node, NOTHING)
  else if (ENDS.has(method)) put("a lease not ended", node, NOTHING)
  if (/\balarm\.(?:want|watch)\(/.test(of))
    put("an alarm deleted while owed", node, `{ ${REACHED}; ${of.replace(/\.(?:want|watch)\(/, ".drop(")} }`)
  if (/\balarm\.(?:drop|rest|settle)\(/.test(of))
    put("an alarm deleted while owed", node, `{ ${REACHED}; ${of.slice(0, of.indexOf("alarm.") + 6)}forget() }`)
}

function expression(node: Node, put: Put, said: Said, text: string): void {
  const of = said(node)
  if (node.type === "CallExpression") {
    const method = methodOf(node)
    const last = all(node, "arguments").at(-1)
    if (/^(?:derivedId|idempotencyKey)$/.test(method) && last) put("a key not sent again", node, instead("String(Math.random())"))
    if (/\b(?:clock\.id|randomUUID)\(\)$/.test(of)) put("an id reused", node, instead(`"of all"`))
    if (method === "derivedId" && last) put("an id reused", last, instead(`"of all"`))
  }
  const operator = textOf(node, "operator")
  if (node.type === "BinaryExpression" && of === IS_GROUND) {
    const ground = text.slice(0, text.indexOf("const RECORDS"))
    for (const [, table = ""] of ground.matchAll(GROUND))
      put("record for write", node, `(${of} && (table !== "${table}" || ${instead("false")}))`)
  } else if (node.type === "BinaryExpression" && COMPARES.has(operator) && !of.includes("typeof"))
    put("a comparison left out", node, orSo(of))
}
