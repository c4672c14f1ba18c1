// Sites: places of a source where a fault can be made, by what its author would have forgotten. All of them are made at once, and each asks whether it
// is the one that is planted now: so what is not planted says where it would have made a difference.

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export interface Site {
  readonly kind: Kind
  readonly start: number
  readonly end: number
  /** What tells it from other sites of its kind in its file. */
  readonly what: string
  readonly put: Put
}

/** `own`: the text of the site, with the faults inside of it. `isPlanted`: an expression that is true if this fault is the planted one. */
type Put = (own: string, isPlanted: string) => string

type Kind =
  | "a wake-up left out"
  | "record for write"
  | "an await moved before a commit"
  | "a key not sent again"
  | "a comparison left out"
  | "a lease not ended"
  | "an alarm deleted while owed"
  | "an id reused"

const leftOut: Put = (own, isPlanted) => `{ if (!${isPlanted}) { ${own} } }`
const instead =
  (other: string): Put =>
  (own, isPlanted) =>
    `{ if (${isPlanted}) { ${other} } else { ${own} } }`
const valued =
  (other: string): Put =>
  (own, isPlanted) =>
    `(${isPlanted} ? ${other} : ${own})`
const always: Put = (own, isPlanted) => `(${own} || ${isPlanted})`
const never: Put = (own, isPlanted) => `(${own}) && !${isPlanted}`

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
  const said = ({ start, end }: Pick<Node, "start" | "end">): string => text.slice(start, end)
  const add: Add = (kind, { start, end }, put, what = said({ start, end })) =>
    void sites.push({ kind, start, end, what: what.replaceAll(/\s+/g, " "), put })
  const visit = (node: Node): void => {
    statement(node, add, said)
    expression(node, add, said, text)
    for (const of of Object.values(node)) for (const child of Array.isArray(of) ? of : [of]) if (isNode(child)) visit(child)
  }
  visit(tree)
  return sites
}

type Add = (kind: Kind, where: Pick<Node, "start" | "end">, put: Put, what?: string) => void
type Said = (node: Pick<Node, "start" | "end">) => string

function statement(node: Node, add: Add, said: Said): void {
  const block = all(node, "body")
  for (const [i, first] of block.entries()) {
    const later = block.slice(i + 1).find((it) => WRITES.test(said(it)))
    if (!later || first.type !== "ExpressionStatement" || at(first, "expression")?.type !== "AwaitExpression") continue
    const [kind, next] = ["an await moved before a commit" as const, block[i + 1]]
    const promise = said(at(at(first, "expression"), "argument") ?? first)
    if (next === later && next.type === "ExpressionStatement")
      add(kind, { start: first.start, end: next.end }, instead(`${said(next)}\n${said(first)}`), said(first))
    else add(kind, first, instead(`void Promise.resolve(${promise}).catch(() => {})`))
  }
  const test = at(node, "test")
  if (node.type === "IfStatement" && at(node, "alternate") === undefined && test?.type === "BinaryExpression")
    add("a comparison left out", test, never, `not ${said(test)}`)
  if (node.type !== "ExpressionStatement") return
  const own = at(node, "expression")
  const call = own?.type === "AwaitExpression" ? at(own, "argument") : own
  const method = methodOf(call)
  const of = said(node)
  if (WAKES.has(method)) add("a wake-up left out", node, leftOut)
  else if (ENDS.has(method)) add("a lease not ended", node, leftOut)
  const callee = call?.type === "CallExpression" ? at(call, "callee") : undefined
  const alarm = callee === undefined ? undefined : /\balarm\.(want|watch|drop|settle)$/.exec(said(callee))?.[1]
  if (alarm === "want" || alarm === "watch") add("an alarm deleted while owed", node, instead(of.replace(`alarm.${alarm}(`, "alarm.drop(")))
  else if (alarm !== undefined) add("an alarm deleted while owed", node, instead(`${of.slice(0, of.indexOf("alarm.") + 6)}forget()`))
}

function expression(node: Node, add: Add, said: Said, text: string): void {
  const of = said(node)
  if (node.type === "CallExpression") {
    const method = methodOf(node)
    const last = all(node, "arguments").at(-1)
    if (/^(?:derivedId|idempotencyKey)$/.test(method) && last) add("a key not sent again", node, valued("String(Math.random())"))
    if (/\b(?:clock\.id|randomUUID)\(\)$/.test(of)) add("an id reused", node, valued(`"of all"`))
    if (method === "derivedId" && last) add("an id reused", last, valued(`"of all"`), of)
  }
  const operator = textOf(node, "operator")
  if (node.type === "BinaryExpression" && of === IS_GROUND) {
    const ground = text.slice(0, text.indexOf("const RECORDS"))
    for (const [, table = ""] of ground.matchAll(GROUND))
      add("record for write", node, (own, isPlanted) => `(${own} && !(table === "${table}" && ${isPlanted}))`, table)
  } else if (node.type === "BinaryExpression" && COMPARES.has(operator) && !of.includes("typeof"))
    add("a comparison left out", node, always)
}
