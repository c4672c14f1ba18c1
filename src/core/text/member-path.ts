// Parses paths into JSON [F41, W1]: `user.name`, with brackets and quotes for names that are not plain words, such as `user["First Name"]`
// or `['@type']`. Double quotes have the escapes of JSON; single quotes need none, which helps inside YAML and JSON.

/** Limit: characters of a name in brackets, in a template or a condition → the template stays text, and the condition is refused. */
const MAX_NAME = 200
/** Characters of what a message corrects. */
const EXCERPT = 200
const BRACKETS = String.raw`\["(?:[^"\\\r\n]|\\[^\r\n]){1,${MAX_NAME}}"\]|\['[^'\r\n]{1,${MAX_NAME}}'\]`

/** A regular expression for such a path. `word`: the characters of a name without brackets. Nothing matches in two ways, so it is linear. */
export const pathSource = (word: string): string => `(?:${word}+|${BRACKETS})(?:\\.${word}+|${BRACKETS})*`

/** The same, but accepts a misplaced dot, which is reported later. */
export const loosePathSource = (word: string): string => `(?=[^\\s}])(?:${word}|\\.)*(?:(?:${BRACKETS})(?:${word}|\\.)*)*`

const STEP = new RegExp(String.raw`(?:^|\.)([^.[\]"'\s]+)|(${BRACKETS})`, "uy")

/** The names in a path; undefined: it is not a path. */
export function namesIn(path: string): string[] | undefined {
  if (!path.includes("[")) return path.split(".").some((name) => name === "") ? undefined : path.split(".")
  const names: string[] = []
  for (let at = 0; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at
    const found = STEP.exec(path)
    const name = found?.[1] ?? unquoted(found?.[2] ?? "")
    if (name === undefined) return undefined
    names.push(name)
  }
  return names
}

function unquoted(brackets: string): string | undefined {
  const inside = brackets.slice(1, -1)
  if (inside.startsWith("'")) return inside.slice(1, -1)
  try {
    return inside === "" ? undefined : String(JSON.parse(inside))
  } catch {
    return undefined
  }
}

type Quote = '"' | "'"

/** The path in source form. `quote`: the quote character that may be used there. */
export const written = (names: readonly string[], quote: Quote = '"'): string =>
  names.map((name, i) => (/^[A-Za-z0-9_-]+$/.test(name) ? (i === 0 ? name : `.${name}`) : `[${quoted(name, quote)}]`)).join("")

const quoted = (name: string, quote: Quote): string => (quote === "'" && !/['\\\p{Cc}]/u.test(name) ? `'${name}'` : JSON.stringify(name))

/** Signs of an expression: what has one is no name. */
const OPERATORS = /[|&=!<>?*+()[\]{}"',;`]|\s[-/%]\s/

export interface Meant {
  readonly names: readonly string[]
  /** What to do, for a message. */
  readonly how: string
}

/** The intended path of names without brackets or with an index: `item.First Name`, `body.items[0]`. undefined: it is not a path. */
export function meant(path: string): Meant | undefined {
  const dotted = path.trim().replaceAll(/\[(\d{1,9})\]/g, ".$1")
  const names = dotted.split(".").map((name) => name.trim())
  return dotted.length > EXCERPT || OPERATORS.test(dotted) || names.includes("")
    ? undefined
    : { names, how: path.includes("[") ? "write the index of a list after a dot" : "write a name with other characters in brackets" }
}
