// Path patterns, matched in time proportional to pattern × path whatever they are: no regular expression, no backtracking.
//
// `*` is any run of characters but `/`; `**` crosses `/`; `**/` at the start of a part is any number of whole folders, none
// among them. In the `access` dialect everything else is literal [G7]. The `search` dialect of find and grep also has `?`,
// `{a,b}`, and a pattern without a slash looks at the file's own name in every folder.

export type GlobDialect = "access" | "search"

export type GlobMatch = (path: string) => boolean

/** `path` must be normalised. A pattern is NFC-normalised and may start with `../` or `/`, which say nothing. */
export function compileGlob(glob: string, dialect: GlobDialect = "access"): GlobMatch {
  const patterns = (dialect === "search" ? braces(glob) : [glob]).map((one) => {
    const rooted = one.normalize("NFC").replace(/^(?:\.?\/)+/, "")
    return parse(dialect === "search" && !one.includes("/") ? `**/${rooted}` : rooted, dialect)
  })
  return (path) => patterns.some((tokens) => matches(tokens, path))
}

/** A literal character, or one of: `?` any but a slash, `*`, `**` (`any`), `**` + `/` (`folders`). */
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

// The set of places in the pattern that the path read so far can stand at. `folders` has two: at its start it may be left at
// once (no folder); inside a folder's name it can only be left by a slash. `inside[i]` is the second.
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

/** Stands at `i`, and at whatever follows tokens that may match nothing. */
function enter(tokens: readonly Token[], at: Uint8Array, i: number): void {
  for (let k = i; k <= tokens.length && at[k] !== 1; k++) {
    at[k] = 1
    const token = tokens[k]
    if (token !== "star" && token !== "any" && token !== "folders") return
  }
}

const MAX_ALTERNATIVES = 64

/** `a.{ts,tsx}` → `a.ts`, `a.tsx`; nested ones too. Beyond 64 alternatives braces are taken literally. */
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
