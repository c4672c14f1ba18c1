// Adds a meter to the source of a library, so that its work can be counted, spread and stopped. Every function call and loop iteration
// costs a step; built-in calls that are slow on long values cost steps by length. An async function also yields the thread, at loops and at
// every `await`. A synchronous function cannot, so it throws when it runs too long.

import { parse } from "acorn"

/** A node of acorn's tree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/**
 * Native patterns of the library that take quadratic time over a long text, and the same pattern in linear time. The meter cannot look
 * into a native pattern. Reviewed for just-bash 3.4.2: all other patterns read each character a bounded number of times.
 */
export const SLOW_PATTERNS: Readonly<Record<string, string>> = {
  "/\\n+$/": "/(?<!\\n)\\n+$/",
  "/\\s+$/": "/(?<!\\s)\\s+$/",
  "/[\\t\\r\\n\\s]+$/": "/(?<!\\s)\\s+$/",
  "/\\/+$/": "/(?<!\\/)\\/+$/",
  "/0+(?=\\d)/": "/(?<!0)0+(?=\\d)/",
  "/([bdfhMnrV]+)$/": "/(?<![bdfhMnrV])([bdfhMnrV]+)$/",
  "/\\n\\s+at\\s.*/g": "/\\n\\s{1,64}at\\s.*/g",
  // A name of a group is short.
  "/\\$(&|\\d+|<([^>]+)>)/g": "/\\$(&|\\d+|<([^>]{1,256})>)/g",
  "/\\(\\?P<([^>]+)>/g": "/\\(\\?P<([^>]{1,256})>/g",
  "/\\$\\{([^0-9}][^}]*)\\}/g": "/\\$\\{([^0-9}][^}]{0,256})\\}/g",
  "/\\$(?:\\$|&|\\d+|<[^>]+>|`|')/g": "/\\$(?:\\$|&|\\d+|<[^>]{1,256}>|`|')/g",
  // Digits and flags that two parts of the pattern could take.
  "/^([+-]?\\d*\\.?\\d+)\\s*([kmgtpeKMGTPE])?[iI]?[bB]?$/": "/^([+-]?(?:\\d+(?:\\.\\d+)?|\\.\\d+))\\s*([kmgtpeKMGTPE])?[iI]?[bB]?$/",
  "/%[-+]?[0-9]*\\.?[0-9]*(s|m|M|t|T)/": "/%[-+]?[0-9]*(?:\\.[0-9]*)?(s|m|M|t|T)/",
  "/^%([- +#0']*)(\\d*)(\\.(\\d*))?[diu]$/": "/^%([- +#0']*)((?:[1-9]\\d*)?)(\\.(\\d*))?[diu]$/",
  "/^%([- +#0']*)(\\d*)(\\.(\\d*))?o$/": "/^%([- +#0']*)((?:[1-9]\\d*)?)(\\.(\\d*))?o$/",
  "/^%([- +#0']*)(\\d*)(\\.(\\d*))?[xX]$/": "/^%([- +#0']*)((?:[1-9]\\d*)?)(\\.(\\d*))?[xX]$/",
  "/^%([- +#0']*)(\\d*)(\\.(\\d*))?[eEfFgG]$/": "/^%([- +#0']*)((?:[1-9]\\d*)?)(\\.(\\d*))?[eEfFgG]$/",
  // Only asked whether they match.
  "/\\[.*\\]/": "/\\[[^[\\]\\n\\r\\u2028\\u2029]*\\]/",
  "/\\[.+\\]$/": "/\\]$(?<=\\[.+\\])/",
  // Of a text without line breaks.
  "/^`|^ .*?[^ ].* $|`$/": "/^`|^ (?= *[^ ]).* $|`$/",
  "/^(([ \\t\\r\\n]*)(\\s*))(?:(?=\\S)[\\s\\S]*\\S)?((\\s*?)([ \\t\\r\\n]*))$/":
    "/^(([ \\t\\r\\n]*)(\\s*))(?:(?=\\S)[\\s\\S]*\\S)?(((?:\\s*[^\\S \\t\\r\\n])?)([ \\t\\r\\n]*))$/",
}

/** Calls that read all of their receiver, and calls that read all of their first argument: a step for every 16 characters, bytes or items. */
const READ_ALL = new Set([
  "split",
  "replace",
  "replaceAll",
  "join",
  "sort",
  "toSorted",
  "reverse",
  "normalize",
  "toLowerCase",
  "toUpperCase",
  "padStart",
  "padEnd",
  "toString",
])
const READ_ALL_OF_FIRST = new Set(["parse", "decode", "encode", "from", "fromEntries", "Set", "Map", "Uint8Array", "atob", "btoa"])
/** Calls that move all of their receiver, and calls that copy or compare their first argument: a step for every 64, if there are thousands. */
const MOVE_ALL = new Set(["fill", "concat", "shift", "unshift", "splice"])
const MOVE_ALL_OF_FIRST = new Set(["set", "compare", "localeCompare"])
/**
 * Calls that may read all of a long text or list and often end early. Their answer says what they read, and that is paid: a step for every 16.
 * Each is an expression over the answer `r`, the receiver `v`, its length `n` and the arguments `a` and `b`.
 */
const READ_SOME: Readonly<Record<string, string>> = {
  indexOf: "(r < 0 ? n : r) - (b > 0 ? b : 0)",
  lastIndexOf: "r < 0 ? n : n - r",
  includes: "(r ? v.indexOf(a, b) : n) - (b > 0 ? b : 0)",
  search: "r < 0 ? n : r",
  match: "r && r.index >= 0 ? r.index + r[0].length : n",
  matchAll: "n",
  trim: "n - r.length",
  trimEnd: "n - r.length",
  trimStart: "n - r.length",
}
/** The same calls of a pattern, which reads its argument. */
const PATTERN_CALLS = new Set(["test", "exec"])

/** What is in the search of grep and rg, and in MD5: they take a second for a file of some megabytes. */
const WHOLE_FILE = ["search: line limit exceeded", "3614090360"]

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])
const LOOPS = new Set(["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"])

/** The module's text: each call of `library(meter)` creates a new instance and returns its exports. */
export function metered(text: string, slow = SLOW_PATTERNS): string {
  const program: unknown = parse(text, { ecmaVersion: "latest", sourceType: "module" })
  if (!isNode(program)) throw new Error("acorn returned no tree")
  if (
    /\$(?:left|mark|due|look|rest|length|near|moved|paid|all|each|meter|exec|test|(?:indexOf|lastIndexOf|includes|search|match|matchAll|trim\w*)\d)\b/.test(
      text,
    )
  )
    throw new Error("the library uses the names of the meter")
  const edits = new Edits(text)
  const imports = importsOf(program)
  const awaited = calledLater(text, program, imports)
  const patterns = new Set<string>()
  const readers = new Set<string>()
  const exports: string[] = []
  let limitError = ""

  const visit = (node: Node, inside: Node | undefined): void => {
    const later = inside !== undefined && (inside["async"] === true || awaited.functions.has(inside))
    const pay = later ? "($due||--$left<0)?await $rest():$mark=$left" : "--$left<0&&$look()"
    if (node.type === "ImportDeclaration") return edits.replace(node, "")
    if (node.type === "ExportNamedDeclaration") {
      for (const { local, exported } of nodes(node, "specifiers").map(({ local, exported }) => ({ local, exported })))
        exports.push(`${nameOf(exported)}: ${nameOf(local)}`)
      return edits.replace(node, "")
    }
    if (isLimitError(node)) limitError = nameOf(node["id"]) || limitError
    if (node.type === "AssignmentExpression" && nodes(node, "right").some(isLimitError)) limitError = nameOf(node["left"])
    if (FUNCTIONS.has(node.type)) {
      const body = nodes(node, "body")[0]
      if (body?.type === "BlockStatement") edits.after(body.start + 1, "--$left<0&&$look();")
      else if (body) edits.around(body, "(--$left<0&&$look(),", ")")
      if (awaited.functions.has(node)) edits.before(node.start, "async ")
    } else if (LOOPS.has(node.type)) {
      const body = nodes(node, "body")[0]
      if (body?.type === "BlockStatement") edits.after(body.start + 1, `${pay};`)
      else if (body) edits.around(body, `{${pay};`, "}")
    } else if (node.type === "AwaitExpression") edits.around(node, `(${pay},`, ")")
    else if (node.type === "Literal" && typeof node["regex"] === "object") {
      const pattern = text.slice(node.start, node.end)
      const fast = slow[pattern]
      if (fast !== undefined) edits.replace(node, fast)
      patterns.add(pattern)
    } else if (node.type === "SpreadElement") {
      const [value] = nodes(node, "argument")
      if (value) edits.around(value, " $each(", ")")
    } else if (node.type === "CallExpression" || node.type === "NewExpression") {
      if (awaited.calls.has(node)) edits.around(node, "(await ", ")")
      charge(node, text, edits, readers)
    }
    const within = FUNCTIONS.has(node.type) ? node : inside
    for (const child of childrenOf(node)) visit(child, within)
  }
  visit(program, undefined)

  const unknown = Object.keys(slow).filter((pattern) => !patterns.has(pattern))
  if (unknown.length > 0) throw new Error(`the library has changed: review its patterns, these are gone: ${unknown.join("  ")}`)
  if (limitError === "") throw new Error("the library has changed: it has no ExecutionLimitError")
  // The steps left until the next look are counted here, where the engine can keep the count in a register, and so is how many were left where
  // it could last have rested: what it computes from there to the end of a stretch does not depend on when the meter made it rest.
  return `export function library($meter) {
let $left = 0, $mark = -1, $due = false;
const $look = () => { const left = $left, mark = $mark; $mark = -1; $left = 0; $left = $meter.look(left, mark); $due = $meter.due };
const $rest = async () => { const left = $left; $mark = -1; $left = 0; $due = false; $left = await $meter.rest(left); $due = $meter.due };
const $length = (value) => typeof value === "string" || Array.isArray(value) ? value.length : value instanceof Uint8Array ? value.byteLength : value instanceof Set || value instanceof Map ? value.size : 0;
const $all = (value) => { const n = $length(value); if (n > 15 && ($left -= n >> 4) < 0) $look(); return value };
const $each = (value) => { const n = $length(value); if (n > 3 && ($left -= typeof value === "string" ? n : n >> 2) < 0) $look(); return value };
const $near = (value) => { const n = $length(value); if (n > 4095 && ($left -= n >> 6) < 0) $look(); return value };
const $moved = (value) => typeof value === "string" ? value : $near(value);
const $paid = (read) => { if (read > 15 && ($left -= read >> 4) < 0) $look() };
const $exec = (pattern, text) => {
  if (typeof text !== "string" || text.length < 4096 || !(pattern instanceof RegExp)) return pattern.exec(text);
  const from = pattern.global || pattern.sticky ? pattern.lastIndex : 0, r = pattern.exec(text);
  $paid(r ? r.index + r[0].length - from : pattern.sticky ? 0 : text.length - from);
  return r;
};
const $test = (pattern, text) => typeof text !== "string" || text.length < 4096 || !(pattern instanceof RegExp) ? pattern.test(text) : $exec(pattern, text) !== null;
${[...readers].join("\n")}
${[...imports].map(([local, imported]) => `const ${local} = $meter.${imported};`).join("\n")}
${edits.done()}
$meter.failure = (message) => { $left = 1e4; const failure = new ${limitError}(message, "work"); $left = 0; return failure };
return { ${exports.join(", ")} };
}
`
}

/** `value.split(…)` → `$all(value).split(…)`, `value.indexOf(a)` → `$indexOf1(value,a)`, `pattern.test(value)` → `$test(pattern,value)`. */
function charge(node: Node, text: string, edits: Edits, readers: Set<string>): void {
  const [callee] = nodes(node, "callee")
  if (callee === undefined) return
  const member = callee.type === "MemberExpression" && callee["computed"] !== true
  const name = nameOf(member ? callee["property"] : callee)
  const [receiver] = member ? nodes(callee, "object") : []
  const args = nodes(node, "arguments")
  const [first] = args
  if (receiver && receiver.type !== "Super" && !isChained(receiver) && !isPlain(receiver)) {
    const isSimple = node.type === "CallExpression" && !isChained(callee) && args.every((one) => one.type !== "SpreadElement")
    if (READ_ALL.has(name)) edits.around(receiver, " $all(", ")")
    else if (MOVE_ALL.has(name)) edits.around(receiver, " $moved(", ")")
    else if (isSimple && PATTERN_CALLS.has(name) && args.length === 1) return asFunction(node, `$${name}`, text, edits)
    else if (isSimple && Object.hasOwn(READ_SOME, name) && args.length <= 2) {
      readers.add(reader(name, args.length))
      return asFunction(node, `$${name}${args.length}`, text, edits)
    }
  }
  if (first === undefined || first.type === "SpreadElement" || first.type === "Literal") return
  if (READ_ALL_OF_FIRST.has(name)) edits.around(first, "$all(", ")")
  else if (MOVE_ALL_OF_FIRST.has(name) || PATTERN_CALLS.has(name)) edits.around(first, "$near(", ")")
}

/** The text of the function that calls NAME with so many arguments and pays for what it read. */
function reader(name: string, args: number): string {
  const given = ["a", "b"].slice(0, args).join(", ")
  const all = ["v", ...["a", "b"].slice(0, args)].join(", ")
  const read = (READ_SOME[name] ?? "").replaceAll(/\b[ab]\b/g, (one) => (given.includes(one) ? one : "undefined"))
  return `const $${name}${args} = (${all}) => {
  const r = v.${name}(${given});
  if ((typeof v === "string" || Array.isArray(v)) && v.length > 4095) { const n = v.length; $paid(${read}) }
  return r;
};`
}

/** `receiver.name(args)` → `called(receiver,args)`. */
function asFunction(node: Node, called: string, text: string, edits: Edits): void {
  const [property] = nodes(nodes(node, "callee")[0] ?? node, "property")
  if (property === undefined || text[property.start - 1] !== "." || text[property.end] !== "(")
    throw new Error(`the library has changed: a call at ${node.start} is written in another way`)
  edits.around(node, ` ${called}(`, "")
  edits.replace({ ...property, start: property.start - 1, end: property.end + 1 }, nodes(node, "arguments").length > 0 ? "," : "")
}

/** A wrapper would cut `a?.b.c()` in two: without `a` the whole chain is undefined. */
const isChained = (node: Node): boolean =>
  node["optional"] === true || ["object", "callee"].some((key) => nodes(node, key).some((child) => isChained(child)))

/** The library's error for what ends a script and keeps what it said so far. */
const isLimitError = (node: Node): boolean =>
  (node.type === "ClassExpression" || node.type === "ClassDeclaration") &&
  nodes(node, "body")
    .flatMap((body) => nodes(body, "body"))
    .some((member) => nameOf(member["key"]) === "name" && nameOf(member["value"]) === "ExecutionLimitError")

/** Named things of the language, like Object.keys(…): nothing to count. */
const isPlain = (node: Node): boolean => node.type === "Identifier" && /^[A-Z]\w{2,}$/.test(nameOf(node)) && nameOf(node) in globalThis

/** What is imported: the meter gives it, because compressing at one go would take too long. */
function importsOf(program: Node): Map<string, string> {
  const found = new Map<string, string>()
  for (const node of nodes(program, "body")) {
    if (node.type !== "ImportDeclaration") continue
    for (const one of nodes(node, "specifiers")) found.set(nameOf(one["local"]), nameOf(one["imported"]))
  }
  return found
}

/**
 * Functions that answer later: the imported ones, and those that search or hash a whole file, recognized by a text in them. Those who call
 * them, and those who call these, become async too.
 */
function calledLater(
  text: string,
  program: Node,
  imports: ReadonlyMap<string, string>,
): { readonly functions: Set<Node>; readonly calls: Set<Node> } {
  const names = new Set([...imports].flatMap(([local, imported]) => (imported.endsWith("Sync") ? [local] : [])))
  const functions = new Set<Node>()
  const calls = new Set<Node>()
  for (const node of nodes(program, "body")) {
    if (node.type !== "FunctionDeclaration" || !WHOLE_FILE.some((mark) => text.slice(node.start, node.end).includes(mark))) continue
    names.add(nameOf(node["id"]))
    functions.add(node)
  }
  for (let size = -1; size !== names.size;) {
    size = names.size
    const visit = (node: Node, inside: Node | undefined): void => {
      if (node.type === "CallExpression" && names.has(nameOf(nodes(node, "callee")[0]))) {
        calls.add(node)
        if (inside === undefined || (inside["async"] !== true && inside.type !== "FunctionDeclaration"))
          throw new Error(`the library has changed: ${nameOf(nodes(node, "callee")[0])} is called where nothing can wait`)
        if (inside["async"] !== true) {
          functions.add(inside)
          names.add(nameOf(inside["id"]))
        }
      }
      for (const child of childrenOf(node)) visit(child, FUNCTIONS.has(node.type) ? node : inside)
    }
    visit(program, undefined)
  }
  return { functions, calls }
}

/** Insertions and replacements, by place. At one place, what was opened first is outermost. */
class Edits {
  readonly #text: string
  readonly #inserts = new Map<number, { close: string; open: string }>()
  readonly #cuts = new Map<number, { end: number; text: string }>()

  constructor(text: string) {
    this.#text = text
  }

  before(at: number, text: string): void {
    this.#at(at).open = text + this.#at(at).open
  }

  after(at: number, text: string): void {
    this.#at(at).open += text
  }

  around(node: Node, open: string, close: string): void {
    this.#at(node.start).open += open
    const end = this.#at(node.end)
    end.close = close + end.close
  }

  replace(node: Node, text: string): void {
    this.#cuts.set(node.start, { end: node.end, text })
  }

  done(): string {
    const places = [...new Set([...this.#inserts.keys(), ...this.#cuts.keys()])].sort((a, b) => a - b)
    const parts: string[] = []
    let last = 0
    for (const at of places) {
      const { close = "", open = "" } = this.#inserts.get(at) ?? {}
      parts.push(this.#text.slice(last, at), close, open)
      last = at
      const cut = this.#cuts.get(at)
      if (cut) {
        parts.push(cut.text)
        last = cut.end
      }
    }
    return parts.join("") + this.#text.slice(last)
  }

  #at(place: number): { close: string; open: string } {
    const found = this.#inserts.get(place) ?? { close: "", open: "" }
    this.#inserts.set(place, found)
    return found
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const nodes = (node: Node, key: string): Node[] => [node[key]].flat().filter(isNode)

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

function nameOf(node: unknown): string {
  if (!isNode(node)) return ""
  const name = node["name"] ?? node["value"]
  return typeof name === "string" ? name : ""
}
