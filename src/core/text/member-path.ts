// Paths into JSON as people write them [F41, W1]: `user.name`, and in brackets and quotes a name that is no word, such as
// `user["First Name"]` or `['@type']`. Double quotes have the escapes of JSON; single quotes need none, which helps inside YAML and JSON.

/** Limit: characters of a name in brackets, in a template or a condition → the template stays text, and the condition is refused. */
const MAX_NAME = 200
/** Characters of what a message corrects. */
const EXCERPT = 200
const BRACKETS = String.raw`\["(?:[^"\\\r\n]|\\[^\r\n]){1,${MAX_NAME}}"\]|\['[^'\r\n]{1,${MAX_NAME}}'\]`

/** A pattern's source for such a path; `word`: the signs of a name without brackets. Nothing in it matches in two ways, so it is linear. */
export const pathSource = (word: string): string => `(?:${word}+|${BRACKETS})(?:\\.${word}+|${BRACKETS})*`

/** The same, where a wrong dot is told later. */
export const loosePathSource = (word: string): string => `(?=[^\\s}])(?:${word}|\\.)*(?:(?:${BRACKETS})(?:${word}|\\.)*)*`

const STEP = new RegExp(String.raw`(?:^|\.)([^.[\]"'\s]+)|(${BRACKETS})`, "uy")

/** The names of a path; undefined: it is none. */
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

/** The path as it can be written; `quote`: the one that its surroundings leave free. */
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

/** What someone meant who wrote the names as they are: `item.First Name`, `body.items[0]`. undefined: it is no path. */
export function meant(path: string): Meant | undefined {
  const dotted = path.trim().replaceAll(/\[(\d{1,9})\]/g, ".$1")
  const names = dotted.split(".").map((name) => name.trim())
  return dotted.length > EXCERPT || OPERATORS.test(dotted) || names.includes("")
    ? undefined
    : { names, how: path.includes("[") ? "a place in a list is written after a dot" : "a name with other signs is written in brackets" }
}
