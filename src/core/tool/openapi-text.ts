// Parses the text of an OpenAPI document, JSON or YAML [T26], in at most one second for a body of 1 MiB [S17].
//
// The YAML library parses everything and explains each error with the lines around it: 800 kB of `{}{}{}` took minutes. So its lexer,
// which is linear, runs first and stops when a document is deeper or has more parts than a real one. Composing 100,000 parts takes 0.9 s
// at worst. JSON has no such costs and is parsed as JSON.

import { Composer, Lexer, Parser, type CST } from "yaml"
import type { Json } from "../json.ts"
import { err, ok, type Result } from "../result.ts"

const MAX_PARTS = 100_000
const MAX_DEPTH = 64

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`

export function readOpenApiText(text: string): Result<unknown, string> {
  const json = asJson(text)
  if (json !== undefined) return isDeep(json) ? err(TOO_DEEP) : ok(json)
  const tokens = tokensOf(text)
  if (!tokens.ok) return tokens
  const [doc, more] = [
    ...new Composer({ uniqueKeys: false, logLevel: "silent", stringKeys: true }).compose(tokens.value, true, text.length),
  ]
  const [first] = doc?.errors ?? []
  if (first) return err(`is neither JSON nor YAML, line ${lineAt(text, first.pos[0])}: ${first.message}`)
  if (more) return err("contains more than one YAML document: send one")
  try {
    // Aliases are not followed: a few lines of them can expand to gigabytes.
    const value: unknown = doc?.toJS({ maxAliasCount: 0 })
    return ok(value)
  } catch {
    return err("has YAML aliases, which are not supported: write the parts out, or use $ref")
  }
}

function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Iterative, because the value may be too deep for recursion. */
function isDeep(root: Json): boolean {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value !== "object" || value === null) continue
    if (depth >= MAX_DEPTH) return true
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 })
  }
  return false
}

function tokensOf(text: string): Result<readonly CST.Token[], string> {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let parts = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++parts > MAX_PARTS) return err(`has more than ${MAX_PARTS} parts as YAML: send it as JSON, or only the operations you need`)
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH && parser.stack.filter(isCollection).length > MAX_DEPTH) return err(TOO_DEEP)
  }
  for (const token of parser.end()) tokens.push(token)
  return ok(tokens)
}

const isCollection = ({ type }: CST.Token): boolean => type === "block-map" || type === "block-seq" || type === "flow-collection"

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length
