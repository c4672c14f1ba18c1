// Checks that a text is exactly one SELECT [C42, T43]. The check looks at tokens, not grammar: the statement is then run inside parentheses,
// as `SELECT * FROM (…) LIMIT n`, where SQLite accepts only a SELECT. The tokens only have to show that the text cannot close that
// parenthesis, start another statement or call `load_extension`.

import { err, ok, type Result } from "../result.ts"

const MAX_CHARS = 10_000 // limit: characters of a query → the query is refused

/** Words that start or belong to a statement that changes something. A column with such a name must be quoted. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  "insert update delete drop alter create attach detach pragma vacuum reindex analyze begin commit rollback savepoint release grant revoke truncate merge upsert load_extension".split(
    " ",
  ),
)

/** The statement without a closing semicolon. The error is a sentence for the model. */
export function selectOnly(sql: string): Result<string, string> {
  if (sql.length > MAX_CHARS) return err(`the query is longer than ${MAX_CHARS} characters`)
  if (sql.includes("\0")) return err("the query contains a NUL character")
  const words: string[] = []
  let depth = 0
  let end = sql.length
  for (const { kind, text, at } of tokens(sql)) {
    if (kind === "open") return err(`the query has a ${text} that is never closed`)
    if (end < at && kind !== "space") return err("only one statement at a time: something follows the semicolon")
    if (kind === "word") words.push(text.toLowerCase())
    else if (text === "(") depth++
    else if (text === ")" && --depth < 0) return err("the query closes a parenthesis that it did not open")
    else if (text === ";" && kind === "sign") end = at
  }
  const [first] = words
  if (first === undefined) return err("the query is empty")
  if (first !== "select" && first !== "with")
    return err(`only SELECT is allowed here; this query starts with ${first.slice(0, 40).toUpperCase()}`)
  if (depth !== 0) return err("the query has a parenthesis that is never closed")
  const bad = words.find((word) => FORBIDDEN.has(word))
  if (bad !== undefined) return err(`only SELECT is allowed here, not ${bad.toUpperCase()} (put a column of that name in double quotes)`)
  return ok(sql.slice(0, end).trimEnd())
}

interface Token {
  readonly kind: "word" | "quoted" | "space" | "sign" | "open"
  readonly text: string
  readonly at: number
}

function* tokens(sql: string): Generator<Token> {
  let at = 0
  while (at < sql.length) {
    const token = next(sql, at)
    yield token
    at += token.text.length
    if (token.kind === "open") return
  }
}

const SPACE = /[ \t\n\f\r]+/y
const WORD = /[\p{L}\p{N}_$]+/uy
/** Inside quotes, a doubled quote means the quote itself; brackets have no such escape. A `--` comment ends with its line. */
const CLOSED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\/\*[^]*?\*\//y
const DASHES = /--[^\n]*(?:\n|$)/y

function next(sql: string, at: number): Token {
  const found = (form: RegExp): string | undefined => {
    form.lastIndex = at
    return form.exec(sql)?.[0]
  }
  const space = found(SPACE)
  if (space !== undefined) return { kind: "space", text: space, at }
  const word = found(WORD)
  if (word !== undefined) return { kind: "word", text: word, at }
  const closed = found(CLOSED)
  if (closed !== undefined) return { kind: closed.startsWith("/*") ? "space" : "quoted", text: closed, at }
  const dashes = found(DASHES)
  if (dashes !== undefined) return { kind: "space", text: dashes, at }
  const sign = sql.slice(at, at + 1)
  if (`'"\`[`.includes(sign)) return { kind: "open", text: sign, at }
  return sql.startsWith("/*", at) ? { kind: "open", text: "/*", at } : { kind: "sign", text: sign, at }
}

/** The name quoted for SQLite, whatever it contains. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`
