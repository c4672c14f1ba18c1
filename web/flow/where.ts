// Where a cursor is in a YAML file: below which keys, and whether a key or a value is written there. It goes by indentation and brackets alone, so it
// also works while the text is invalid.

export interface Where {
  /** Keys from the top of the file on; `-` is an item of a list. */
  readonly path: readonly string[]
  /** The key whose value is being written; undefined: a key is. */
  readonly key: string | undefined
  /** Keys that stand before the cursor in the same mapping. */
  readonly beside: readonly string[]
}

const LINE = /^(\s*)((?:-\s+)*)(.*)$/
const KEY = /^["']?([\w-]+)["']?:(?:\s|$)/

/** `upTo`: the text as far as the cursor. */
export function whereIn(upTo: string): Where {
  const lines = upTo.split("\n")
  const [, blank = "", dashes = "", words = ""] = LINE.exec(lines.pop() ?? "") ?? []
  const above = pathAbove(lines, blank.length, dashes)
  const here = inLine(words)
  const isOuter = here.path.length === 0 && !here.isInside
  return {
    path: [...above.path, ...here.path],
    key: here.key,
    beside: isOuter ? above.beside : here.beside,
  }
}

/** Whose keys and items a line that begins at this place is among. */
function pathAbove(lines: readonly string[], blank: number, dashes: string): Pick<Where, "path" | "beside"> {
  const path: string[] = []
  const beside: string[] = []
  let limit = blank + dashes.length
  let isOwn = dashes === ""
  let isItem = false
  if (!isOwn) {
    path.unshift("-")
    limit = blank
    isItem = true
  }
  for (const line of lines.toReversed()) {
    const [, before = "", dash = "", words = ""] = LINE.exec(line) ?? []
    if (words === "" || words.startsWith("#")) continue
    const [at, column] = [before.length, before.length + dash.length]
    const [, key] = KEY.exec(words) ?? []
    if (isItem) {
      // Items beside this one, and what is in them.
      if (dash !== "" && at >= limit) continue
      if (at > limit || key === undefined) continue
      if (dash !== "" && column > limit) continue
      path.unshift(key)
      isItem = false
      isOwn = false
      limit = column
      if (dash !== "") {
        path.unshift("-")
        limit = at
        isItem = true
      }
      continue
    }
    if (column > limit) continue
    if (column === limit) {
      if (isOwn && key !== undefined) beside.unshift(key)
      if (dash !== "") {
        path.unshift("-")
        limit = at
        isItem = true
        isOwn = false
      }
      continue
    }
    if (key === undefined) continue
    path.unshift(key)
    isOwn = false
    limit = column
    if (dash !== "") {
      path.unshift("-")
      limit = at
      isItem = true
    }
  }
  return { path, beside }
}

interface Frame {
  readonly isList: boolean
  /** Whose value it is. */
  readonly of: string | undefined
  readonly beside: string[]
}

/** `key: { other: [` and the like: what is open at the end of these words. */
function inLine(words: string): Where & { readonly isInside: boolean } {
  const frames: Frame[] = []
  const first: string[] = []
  let key: string | undefined
  let quote = ""
  for (let at = 0; at < words.length; at += 1) {
    const sign = words.charAt(at)
    const frame = frames.at(-1)
    if (quote !== "") {
      if (sign === "\\" && quote === '"') at += 1
      else if (sign === quote) quote = ""
      continue
    }
    if (key === undefined && frame?.isList !== true) {
      const [whole, name] = KEY.exec(words.slice(at)) ?? []
      if (whole !== undefined && name !== undefined) {
        key = name
        ;(frame?.beside ?? first).push(name)
        at += whole.length - 1
        continue
      }
      // A word that is no key yet.
      if (/[\w-]/.test(sign)) {
        at += (/^[\w-]+/.exec(words.slice(at))?.[0].length ?? 1) - 1
        continue
      }
    }
    if (sign === '"' || sign === "'") quote = sign
    else if (words.startsWith("${{", at)) {
      const end = words.indexOf("}}", at)
      at = end < 0 ? words.length : end + 1
    } else if (sign === "{" || sign === "[") {
      frames.push({ isList: sign === "[", of: key, beside: [] })
      key = undefined
    } else if (sign === "}" || sign === "]") {
      key = frames.pop()?.of
    } else if (sign === "," && frame !== undefined && !frame.isList) key = undefined
    else if (frame === undefined && key !== undefined) break
  }
  const last = frames.at(-1)
  const list = last?.isList === true ? last.of : undefined
  const path = frames.flatMap(({ of, isList }, i) => (of === undefined || (isList && i === frames.length - 1) ? [] : [of]))
  return { path, key: key ?? list, beside: last?.beside ?? first.filter((one) => one !== key), isInside: frames.length > 0 }
}
