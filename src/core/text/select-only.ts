// Is this text one SELECT, and nothing but that [C42, T43]? Judged by its tokens, not by a grammar: the statement is then put into
// parentheses, as `SELECT * FROM (…) LIMIT n`, where SQLite takes a SELECT and nothing else. So the tokens have only to make sure that the
// text cannot close that parenthesis, begin another statement, or reach what is no table.

import { err, ok, type Result } from "../result.ts"

const MOST_CHARS = 10_000

/** Words that begin or belong to what changes something, unquoted. As names of columns they can be put in quotes. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  "insert update delete drop alter create attach detach pragma vacuum reindex analyze begin commit rollback savepoint release grant revoke truncate merge upsert load_extension".split(
    " ",
  ),
)

/** The statement without a closing semicolon. The error is a sentence for the model. */
export function selectOnly(sql: string): Result<string, string> {
  if (sql.length > MOST_CHARS) return err(`the query is longer than ${MOST_CHARS} characters`)
  if (sql.includes("\0")) return err("the query holds a NUL character")
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
    return err(`only SELECT is allowed here; this begins with ${first.slice(0, 40).toUpperCase()}`)
  if (depth !== 0) return err("the query has a parenthesis that is never closed")
  const bad = words.find((word) => FORBIDDEN.has(word))
  if (bad !== undefined)
    return err(`only SELECT is allowed here, and ${bad.toUpperCase()} is none (a column of that name goes in double quotes)`)
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
/** A quote is doubled to stand for itself; a bracket cannot be. A comment of two dashes ends with its line. */
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

/** As SQLite takes a name whatever is in it. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`
