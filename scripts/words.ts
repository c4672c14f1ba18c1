// Prints the words of the code room by room, to be read as text: each file's header, the docstrings of its exports, and its messages, the texts
// of diagnostics among them. `npm run words -- src/core/run` prints what is below a folder; `--draw 100 --seed 7` draws as many texts at random.

import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))

interface Text {
  readonly file: string
  readonly kind: "header" | "docstring" | "message"
  /** Of a docstring: the export that it tells about. */
  readonly name: string
  readonly words: string
}

/** What may hold text, and regular expressions, whose quotes begin none. */
const TOKENS = [
  /(?<doc>\/\*[\s\S]*?\*\/)|(?<line>(?:\/\/[^\n]*\n?[ \t]*)+)/,
  /"(?<string>(?:[^"\\\n]|\\.)*)"/,
  /`(?<template>(?:[^`\\$]|\\[\s\S]|\$(?!\{)|\$\{(?:[^`{}]|\{[^{}]*\}|`[^`]*`)*\})*)`/,
  /(?<=[(,=:[!&|?{};>]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//,
].map(({ source }) => source)
const IN_CODE = new RegExp(TOKENS.join("|"), "g")
/** A page has text between its tags too. */
const IN_PAGES = new RegExp([...TOKENS, />(?<page>[^<>{}="`;]*[a-z] [^<>{}="`;]*)</.source].join("|"), "g")
const EXPORT = /^\s*export (?:default )?(?:abstract |async )*(?:const|let|function\*?|class|interface|type)\s+(\w+)/
/** SQL, code, and lists of words that are no sentence are no text. */
const NO_MESSAGE = new RegExp(
  [
    /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|REPLACE|WHERE|AND|ORDER|FROM|VALUES|TABLE|INDEX|UNIQUE|TRIGGER)\b/,
    /\b(?:ORDER BY|IS NOT|IS NULL|JOIN|NOT IN)\b|\w = '|=>|^[^a-z]*$|[;{]\s*$|\{[^}]*;| (?:===|&&|\?\?) |\bconst \w/,
    /^(?!.* (?:the|an?|is|are|was|has|be|of|to|in|it|by|on|and|or|that|with|not|for) )[\w$@.-]+(?: [\w$@.-]+){9,}$/,
  ]
    .map(({ source }) => source)
    .join("|"),
)

const plain = (comment: string): string =>
  comment
    .replaceAll(/^\s*\/\/ ?|^\s*\/?\*+\/?|\*\/$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** A message has three words at least; less is a name or a label. */
const isMessage = (words: string): boolean => /[a-z]{2,} \S+ \S*[a-z]/.test(words) && !NO_MESSAGE.test(words)

export function wordsOf(file: string, source: string): Text[] {
  const found: Text[] = []
  for (const { index, 0: all, groups = {} } of source.matchAll(file.endsWith("x") ? IN_PAGES : IN_CODE)) {
    const { doc, line, string, template, page } = groups
    if (index === 0 && (doc ?? line) !== undefined) found.push({ file, kind: "header", name: "", words: plain(all) })
    else if (doc !== undefined) {
      const name = EXPORT.exec(source.slice(index + all.length))?.[1]
      if (name !== undefined && doc.startsWith("/**")) found.push({ file, kind: "docstring", name, words: plain(doc) })
    } else if (line === undefined) {
      const words = (string ?? template ?? page ?? "")
        .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "…")
        .replaceAll(/\s+/g, " ")
        .trim()
      if (isMessage(words)) found.push({ file, kind: "message", name: "", words })
    }
  }
  return found
}

const shown = ({ kind, name, words }: Text): string =>
  kind === "message" ? `- ${words}` : kind === "docstring" ? `${name}: ${words}` : words

/** `seed` gives the same draw of the same texts each time. */
export function drawn<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all]
  let state = seed >>> 0
  const dice = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(dice(left.length), 1)[0]).filter((one) => one !== undefined)
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { draw: { type: "string" }, seed: { type: "string" } } })
  const rooms = positionals.map((room) => room.replace(/\/$/, ""))
  const isIn = (file: string): boolean => rooms.length === 0 || rooms.some((room) => file === room || file.startsWith(`${room}/`))
  const texts = globSync("{src,cli,web,local,scripts,bench,package,console/app}/**/*.{ts,tsx}", { cwd: root })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !/\.(gen|test|d)\.tsx?$|\/node_modules\/|^scripts\/mutants[./]/.test(file) && isIn(file))
    .toSorted((a, b) => path.dirname(a).localeCompare(path.dirname(b)) || a.localeCompare(b))
    .flatMap((file) => wordsOf(file, readFileSync(path.join(root, file), "utf8")))
  if (values.draw !== undefined) {
    for (const [i, text] of drawn(texts, Number(values.draw), Number(values.seed ?? "1")).entries())
      console.log(`${i + 1}. ${text.file} (${text.kind})\n   ${shown(text)}\n`)
    return
  }
  let [folder, file] = ["", ""]
  for (const text of texts) {
    const its = path.dirname(text.file)
    if (its !== folder) console.log(`\n\n# ${its}`)
    if (text.file !== file) console.log(`\n## ${path.basename(text.file)}`)
    ;[folder, file] = [its, text.file]
    console.log(shown(text))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
