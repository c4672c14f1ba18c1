// Finds the simple commands in a command line, for `access.bash.deny` [G7]: every `rm …`, wherever it is. The scanner takes apart pipes,
// lists, loops, subshells, substitutions, quotes and leading assignments, and also reads the command that a wrapper such as `xargs` or
// `bash -c` runs.
//
// This check advises an agent; it is not a security boundary, because a shell has more ways to name a command than any scanner covers.
// The file system decides what the shell can touch.

import { matchesGlob } from "./tool-names.ts"

const MAX_DEPTH = 8 // limit: levels of nested command substitutions → the call is refused: `denylist`
const MAX_COMMANDS = 2_000 // limit: commands of a line → the call is refused: `denylist`

/**
 * The first simple command that a glob matches; undefined: none. `*` matches any text, including spaces and slashes; a glob without `*`
 * matches the command with any further arguments.
 */
export function deniedCommand(globs: readonly string[], line: string): string | undefined {
  if (globs.length === 0) return undefined
  const patterns = globs.flatMap((glob) => {
    const pattern = glob.trim().replaceAll(/\s+/g, " ")
    return pattern.includes("*") ? [pattern] : [pattern, `${pattern} *`]
  })
  return simpleCommands(line).find((command) => patterns.some((pattern) => matchesGlob(pattern, command)))
}

/** Each command as words separated by one space, without quotes, redirections and assignments. Throws when there are too many commands. */
export function simpleCommands(line: string): readonly string[] {
  const found: string[] = []
  scan(line, 0, found)
  return found
}

const KEYWORDS: ReadonlySet<string> = new Set(["if", "then", "else", "elif", "while", "until", "do", "!", "{", "}", "time"])
/** Commands that run the command after them, with the number of their own words that are not options. */
const WRAPPERS: ReadonlyMap<string, number> = new Map([
  ["command", 0],
  ["builtin", 0],
  ["exec", 0],
  ["env", 0],
  ["xargs", 0],
  ["nohup", 0],
  ["nice", 0],
  ["sudo", 0],
  ["timeout", 1],
])
/** In place of the arguments that a command gets from elsewhere. */
const MORE = "…"
const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh"])

/** Scans `text` from `at` to the closing `end`, or to the end of the text, and returns the position where it stopped. */
function scan(text: string, depth: number, found: string[], at = 0, end?: ")" | "`"): number {
  if (depth > MAX_DEPTH) throw new Error("the command line is nested too deep to be looked through")
  let words: string[] = []
  let word: string | undefined
  let bare = true
  let skipNext = false
  let afterTime = false
  const heredocs: Heredoc[] = []

  const endWord = (): void => {
    if (word === undefined) return
    const isFirst = words.length === 0 && bare
    if (skipNext) skipNext = false
    else if (isFirst && afterTime && word.startsWith("-")) afterTime = true
    else if (isFirst && (word === "function" || word === "coproc")) {
      // The name of a function is no command. That of a coprocess stands only before a compound command, whose brace is a keyword.
      skipNext = word === "function" || /^\s*[A-Za-z_]\w*\s*[{(]/.test(text.slice(i, i + 200))
    } else if (words.length > 0 || (!(bare && KEYWORDS.has(word)) && !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word))) words.push(word)
    else afterTime = word === "time"
    word = undefined
    bare = true
  }
  const endCommand = (): void => {
    endWord()
    skipNext = false
    afterTime = false
    if (words.length > 0) note(words, depth, found)
    words = []
  }

  let i = at
  while (i < text.length) {
    const c = text.charAt(i)
    // `$"…"` is a quoted text that a translation may replace.
    if (c === "$" && text[i + 1] === '"') i++
    else if (c === "\\") {
      if (text[i + 1] !== "\n") word = (word ?? "") + text.charAt(i + 1)
      bare = false
      i += 2
    } else if (c === "$" && text[i + 1] === "'") {
      const read = ansiQuoted(text, i + 2)
      word = (word ?? "") + read.text
      bare = false
      i = read.end
    } else if (c === "'") {
      const close = text.indexOf("'", i + 1)
      word = (word ?? "") + text.slice(i + 1, close === -1 ? text.length : close)
      bare = false
      i = close === -1 ? text.length : close + 1
    } else if (c === '"') {
      word ??= ""
      bare = false
      i++
      while (i < text.length && text[i] !== '"') {
        if (text[i] === "\\" && /["\\$`\n]/.test(text.charAt(i + 1))) {
          if (text[i + 1] !== "\n") word += text.charAt(i + 1)
          i += 2
        } else if (opensCommand(text, i)) {
          const stop = inner(text, depth, found, i)
          word += text.slice(i, stop)
          i = stop
        } else word += text.charAt(i++)
      }
      i++
    } else if (opensCommand(text, i)) {
      if (c === "`" && end === "`") break
      const stop = inner(text, depth, found, i)
      word = (word ?? "") + text.slice(i, stop)
      bare = false
      i = stop
    } else if (c === "#" && word === undefined) {
      const line = text.indexOf("\n", i)
      i = line === -1 ? text.length : line
    } else if (c === "<" && text.startsWith("<<", i) && text[i + 2] !== "<") {
      endWord()
      const mark = /^<<-?\s*(['"\\]?)([^\s'";|&<>()]+)['"]?/.exec(text.slice(i, i + 200))
      if (mark?.[2] !== undefined) heredocs.push({ mark: mark[2], isQuoted: mark[1] !== "" })
      i += mark?.[0].length ?? 2
    } else if (c === "<" || c === ">") {
      // A number right before the redirection is a file descriptor, not a word.
      if (word !== undefined && bare && /^\d+$/.test(word)) word = undefined
      endWord()
      i += /^(?:<<<|[<>]&|&>>|>>|>\||<>|[<>])/.exec(text.slice(i, i + 3))?.[0].length ?? 1
      skipNext = true
    } else if (c === "&" && text[i + 1] === ">") {
      endWord()
      i += text[i + 2] === ">" ? 3 : 2
      skipNext = true
    } else if (c === "\n") {
      endCommand()
      i++
      for (const heredoc of heredocs.splice(0)) i = afterHeredoc(text, depth, found, i, heredoc)
    } else if (c === ";" || c === "|" || c === "&") {
      endCommand()
      i++
    } else if (c === "(") {
      endCommand()
      i = scan(text, depth + 1, found, i + 1, ")") + 1
    } else if (c === ")") {
      endCommand()
      if (end === ")") return i
      i++
    } else if (c === " " || c === "\t" || c === "\r") {
      endWord()
      i++
    } else {
      word = (word ?? "") + c
      i++
    }
  }
  endCommand()
  return i
}

const LETTERS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" }

/** `$'…'` from behind its opening quote: `$'\x72m'` is `rm`. */
function ansiQuoted(text: string, from: number): { readonly text: string; readonly end: number } {
  let read = ""
  let i = from
  while (i < text.length && text[i] !== "'") {
    const [whole, octal, hex] = /^\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8})/.exec(text.slice(i, i + 10)) ?? []
    if (whole !== undefined) {
      const code = octal === undefined ? Number.parseInt(hex ?? whole.slice(2), 16) : Number.parseInt(octal, 8)
      read += code <= 0x10_ffff ? String.fromCodePoint(code) : ""
      i += whole.length
    } else if (text[i] === "\\") {
      const next = text.charAt(i + 1)
      read += Object.hasOwn(LETTERS, next) ? LETTERS[next] : next
      i += 2
    } else read += text.charAt(i++)
  }
  return { text: read, end: i + 1 }
}

const opensCommand = (text: string, i: number): boolean =>
  text[i] === "`" || ((text[i] === "$" || text[i] === "<" || text[i] === ">") && text[i + 1] === "(" && text[i + 2] !== "(")

/** Scans `$(…)`, `<(…)` or backticks from their start and returns the position after them. */
function inner(text: string, depth: number, found: string[], i: number): number {
  return text[i] === "`" ? scan(text, depth + 1, found, i + 1, "`") + 1 : scan(text, depth + 1, found, i + 2, ")") + 1
}

interface Heredoc {
  readonly mark: string
  /** A quote or a backslash at its mark: nothing in it is substituted. */
  readonly isQuoted: boolean
}

/** The position after a here-document. What an unquoted one substitutes is run. */
function afterHeredoc(text: string, depth: number, found: string[], from: number, { mark, isQuoted }: Heredoc): number {
  for (let i = from; i < text.length;) {
    const next = text.indexOf("\n", i)
    const end = next === -1 ? text.length : next
    if (text.slice(i, end).replace(/^\t+/, "") === mark) return next === -1 ? end : end + 1
    while (!isQuoted && i < end)
      if (text[i] === "\\") i += 2
      else if (opensCommand(text, i) && text[i] !== "<" && text[i] !== ">") i = inner(text, depth, found, i)
      else i++
    i = Math.max(i, next === -1 ? text.length : end + 1)
  }
  return text.length
}

/** Records the command, and any command that it runs itself. */
function note(words: readonly string[], depth: number, found: string[]): void {
  if (found.length >= MAX_COMMANDS) throw new Error(`the command line has more than ${MAX_COMMANDS} commands`)
  const name = words[0]?.slice(words[0].lastIndexOf("/") + 1) ?? ""
  found.push([name, ...words.slice(1)].join(" "))
  const rest = words.slice(1)

  if (name === "eval") scan(rest.join(" "), depth + 1, found)
  // What it runs when the shell gets a signal or ends.
  if (name === "trap" && rest[0] !== undefined) scan(rest[0], depth + 1, found)
  // The words behind the alias are added where it is used.
  if (name === "alias")
    for (const word of rest) if (word.includes("=")) scan(`${word.slice(word.indexOf("=") + 1)} ${MORE}`, depth + 1, found)
  if (SHELLS.has(name)) {
    const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word))
    const script = flag === -1 ? undefined : rest[flag + 1]
    if (script !== undefined) scan(script, depth + 1, found)
  }
  if (name === "find")
    for (const [i, word] of rest.entries())
      if (/^-(?:exec|ok)(?:dir)?$/.test(word) && i + 1 < rest.length) note(rest.slice(i + 1), depth + 1, found)

  const own = WRAPPERS.get(name)
  if (own === undefined || depth >= MAX_DEPTH) return
  // Some options take a value, and the scanner cannot tell which, so it tries each position where the wrapped command may start.
  const first = rest.findIndex((word) => !word.startsWith("-") && !/^[A-Za-z_]\w*=/.test(word))
  const more = name === "xargs" ? [MORE] : []
  for (let i = first; i !== -1 && i < rest.length && i <= first + own + 1; i++) note([...rest.slice(i), ...more], depth + 1, found)
}
