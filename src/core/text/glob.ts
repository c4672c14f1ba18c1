// Matches path patterns in time proportional to pattern × path: no regular expressions, no backtracking.
//
// `*` matches any run of characters except `/`; `**` also matches `/`; `**/` at the start of a part matches zero or more whole folders.
// In the `access` dialect everything else is literal [G7]. The `search` dialect of find and grep also has `?` and `{a,b}`, and a pattern
// without a slash matches the file name in every folder.

export type GlobDialect = "access" | "search"

export type GlobMatch = (path: string) => boolean

/** `path` must be normalized. Patterns are NFC-normalized, and a leading `./` or `/` is ignored. */
export function compileGlob(glob: string, dialect: GlobDialect = "access"): GlobMatch {
  const patterns = (dialect === "search" ? braces(glob) : [glob]).map((one) => {
    const rooted = one.normalize("NFC").replace(/^(?:\.?\/)+/, "")
    return parse(dialect === "search" && !one.includes("/") ? `**/${rooted}` : rooted, dialect)
  })
  return (path) => patterns.some((tokens) => matches(tokens, path))
}

/** A literal character, or `?` (`one`), `*` (`star`), `**` (`any`) or `**` + `/` (`folders`). */
type Token = { readonly lit: string } | "one" | "star" | "any" | "folders"

function parse(glob: string, dialect: GlobDialect): Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < glob.length; i++) {
    const char = glob.charAt(i)
    if (char === "*" && glob[i + 1] === "*") {
      const startsPart = i === 0 || glob[i - 1] === "/"
      while (glob[i + 1] === "*") i++
      if (startsPart && glob[i + 1] === "/") {
        tokens.push("folders")
        i++
      } else tokens.push("any")
    } else if (char === "*") tokens.push("star")
    else if (char === "?" && dialect === "search") tokens.push("one")
    else tokens.push({ lit: char })
  }
  return tokens
}

// Tracks all positions in the pattern that the path read so far can have reached. `folders` has two states: at its start it can be left at
// once (zero folders), but inside a folder's name only a slash leaves it. `inside[i]` is the second state.
function matches(tokens: readonly Token[], path: string): boolean {
  let at = new Uint8Array(tokens.length + 1)
  let inside = new Uint8Array(tokens.length + 1)
  let next = new Uint8Array(tokens.length + 1)
  let nextInside = new Uint8Array(tokens.length + 1)
  enter(tokens, at, 0)
  for (let p = 0; p < path.length; p++) {
    const char = path.charAt(p)
    next.fill(0)
    nextInside.fill(0)
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i]
      if (inside[i] === 1 || (at[i] === 1 && token === "folders")) {
        nextInside[i] = 1
        if (char === "/") enter(tokens, next, i + 1)
      }
      if (at[i] !== 1 || token === undefined || token === "folders") continue
      if (token === "any") enter(tokens, next, i)
      else if (token === "star") {
        if (char !== "/") enter(tokens, next, i)
      } else if (token === "one" ? char !== "/" : token.lit === char) enter(tokens, next, i + 1)
    }
    ;[at, next] = [next, at]
    ;[inside, nextInside] = [nextInside, inside]
  }
  return at[tokens.length] === 1
}

/** Marks position `i`, and the positions after it that are reached through tokens that match nothing. */
function enter(tokens: readonly Token[], at: Uint8Array, i: number): void {
  for (let k = i; k <= tokens.length && at[k] !== 1; k++) {
    at[k] = 1
    const token = tokens[k]
    if (token !== "star" && token !== "any" && token !== "folders") return
  }
}

const MAX_ALTERNATIVES = 64 // limit: alternatives of a glob's braces → the braces are literal text

/** `a.{ts,tsx}` → `a.ts`, `a.tsx`, nested braces included. With more than 64 alternatives, braces are literal. */
function braces(glob: string): string[] {
  let done: string[] = []
  let open = [glob]
  while (open.length > 0) {
    const expanded: string[] = []
    for (const one of open) {
      const group = /\{([^{}]*,[^{}]*)\}/.exec(one)
      const list = group?.[1]
      if (group === null || list === undefined) done = [...done, one]
      else
        for (const choice of list.split(",")) expanded.push(one.slice(0, group.index) + choice + one.slice(group.index + group[0].length))
    }
    if (expanded.length + done.length > MAX_ALTERNATIVES) return [glob]
    open = expanded
  }
  return done
}

/** The approximate number of steps to match a path. Braces multiply a pattern. */
export const globWork = (glob: string, path: string): number => glob.length * path.length * (glob.includes("{") ? 8 : 1)
