// Writes docs/LIMITS.md: every bound of src with its value, what answers beyond it, and the test that shows it; then the bounds of each
// member of a request and each argument of a tool. `npm run limits`; `--check` fails if the page is stale.
//
// The values come from the constants, the rest from the tables in scripts/limits. A number at the top of a file of src is in a table, or
// limits/not-limits.ts says why it bounds nothing: a new constant without either is a fault, and so is a test that does not exist.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { API } from "../src/api/api.ts"
import { isObject } from "../src/core/json.ts"
import { specsFor } from "../src/tools/toolbox.ts"
import { CORE } from "./limits/core.ts"
import { EDGE } from "./limits/edge.ts"
import { ENGINE } from "./limits/engine.ts"
import type { LimitTable } from "./limits/limit.ts"
import { NOT_LIMITS } from "./limits/not-limits.ts"
import { OBJECTS } from "./limits/objects.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const PAGE = "docs/LIMITS.md"
const TABLES: readonly (readonly [string, LimitTable])[] = [
  ["Files, flows, arguments, runs", CORE],
  ["Requests, settings, tools, models", EDGE],
  ["Catalog, imports, calls to the outside", ENGINE],
  ["Stores and objects", OBJECTS],
]

export interface Constant {
  readonly file: string
  readonly name: string
  /** As the source has it, such as `256 * 1024`. */
  readonly text: string
}

/** Every number at the top of a file of src, in the order of the files. */
export function constants(): Constant[] {
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  return files
    .map((file) => file.split(path.sep).join("/"))
    .toSorted()
    .flatMap((file) => constantsIn(file, readFileSync(path.join(root, "src", file), "utf8")))
}

export function constantsIn(file: string, source: string): Constant[] {
  const number =
    /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: number)? = (-?[0-9][0-9_.eE-]*(?: [*/+-] [A-Z0-9_.]+)*|[A-Z][A-Z0-9_]*(?: [*/+-] [A-Z0-9_.]+)*)$/gm
  return [...source.matchAll(number)].map(([, name = "", text = ""]) => ({ file, name, text }))
}

/** The value of an expression of numbers and of constants that `all` has, preferably in the same file; undefined: it is none. */
export function valueOf({ file, text }: Constant, all: readonly Constant[]): number | undefined {
  let value: number | undefined
  let operator = "+"
  let factor: number | undefined
  for (const part of text.split(" ")) {
    if (/^[*/+-]$/.test(part)) {
      operator = part
      continue
    }
    const other = all.find((one) => one.name === part && one.file === file) ?? all.find((one) => one.name === part)
    const n = /^-?[0-9]/.test(part) ? Number(part.replaceAll("_", "")) : other && other.text !== part ? valueOf(other, all) : undefined
    if (n === undefined || Number.isNaN(n)) return undefined
    if (operator === "*" && factor !== undefined) factor *= n
    else if (operator === "/" && factor !== undefined) factor /= n
    else {
      value = (value ?? 0) + (factor ?? 0)
      factor = operator === "-" ? -n : n
    }
  }
  return (value ?? 0) + (factor ?? 0)
}

/** What is wrong with the tables; empty: every number has its place. */
export function faults(all: readonly Constant[]): string[] {
  const rows = TABLES.flatMap(([, table]) =>
    Object.entries(table).flatMap(([file, limits]) => Object.entries(limits).map(([name, limit]) => ({ file, name, limit }))),
  )
  const known = new Set(rows.map(({ file, name }) => `${file} ${name}`))
  return [
    ...all
      .filter((one) => valueOf(one, all) !== undefined)
      .map(({ file, name }) => `${file} ${name}`)
      .filter((one) => !known.has(one) && !NOT_LIMITS.some(([pattern]) => pattern.test(one)))
      .map((one) => `${one}: is in no table of scripts/limits, and not-limits.ts does not say why`),
    ...rows
      .filter(({ file, name }) => !all.some((one) => one.file === file && one.name === name && valueOf(one, all) !== undefined))
      .map(({ file, name }) => `${file} ${name}: is in a table of scripts/limits, but is no number of src`),
    ...rows.flatMap(({ file, name, limit: [, , test] }) => {
      if (test === undefined) return []
      const [where, title] = test
      const at = path.join(root, "test", where)
      return existsSync(at) && readFileSync(at, "utf8").includes(title) ? [] : [`${file} ${name}: test/${where} has no "${title}"`]
    }),
  ]
}

/** Rows whose bound no test passes yet. Capacities of this build's own, beyond which it goes on as before, answer no one and do not count. */
export const untested = (): string[] =>
  TABLES.flatMap(([, table]) =>
    Object.entries(table).flatMap(([file, limits]) =>
      Object.entries(limits).flatMap(([name, limit]) => (limit[2] === undefined && !GOES_ON.test(limit[1]) ? [`${file} ${name}`] : [])),
    ),
  )

const GOES_ON = /^(the cache is emptied|the oldest( one)? (is forgotten|leaves)|the next |it rings then|all are forgotten)/

export function renderPage(): string {
  const all = constants()
  const parts = TABLES.map(([title, table]) => {
    const rows = Object.entries(table).flatMap(([file, limits]) =>
      Object.entries(limits).map(([name, [bounds, beyond, test]]) => {
        const constant = all.find((one) => one.file === file && one.name === name)
        const value = constant === undefined ? undefined : valueOf(constant, all)
        const shownBy = test === undefined ? "" : `[${test[0].replace(/^.*\//, "").replace(".test.ts", "")}](../test/${test[0]})`
        return `| ${bounds} | ${value?.toLocaleString("en-US") ?? ""} | [${file}](../src/${file}) \`${name}\` | ${beyond} | ${shownBy} |`
      }),
    )
    return `## ${title}\n\n| bound | at most | where | beyond it | test |\n|---|---:|---|---|---|\n${rows.join("\n")}\n`
  })
  const members = Object.entries(API).flatMap(([id, route]) => {
    const { body, query, headers } = { query: undefined, headers: undefined, body: undefined, ...route }
    const parameters = Object.entries({ ...query, ...headers }).flatMap(([name, { schema }]) => boundsOf(schema, `\`${name}\` (parameter)`))
    const inBody = body === undefined ? [] : boundsOf(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }), "")
    return [...inBody, ...parameters].map(([member, most]) => `| ${id} | ${member} | ${most} |`)
  })
  const args = [...specsFor("open")].flatMap(([name, { parameters }]) =>
    boundsOf(parameters, "").map(([member, most]) => `| ${name} | ${member} | ${most} |`),
  )
  const none = NOT_LIMITS.map(([, why]) => `- ${why}`).join("\n")
  return `# Limits

Everything that comes from outside has a greatest size: bytes, counts, depth, time. \`npm run limits\` writes this page from the constants of
\`src\`, the tables in \`scripts/limits\`, the declared routes and the tools' schemas; a test asserts that it is current, that every number at
the top of a file is here or has a reason not to be, and that each test named here exists. Do not edit it.

${parts.join("\n")}
## Members of requests

Beyond them is 422 with the member, its limit and its size ([api-bounds](../test/limits/api-bounds.test.ts)).

| operation | member | at most |
|---|---|---:|
${members.join("\n")}

## Arguments of tools

Beyond them a call is refused: \`invalid_args\` ([tool-bounds](../test/limits/tool-bounds.test.ts)). All arguments of a call have at most
256 KiB and 64 levels.

| tool | argument | at most |
|---|---|---:|
${args.join("\n")}

## Members of events

An event's members are bounded where they enter a run; [event-bounds](../test/limits/event-bounds.test.ts) names the place for each.

## Numbers that are no limits

${none}
`
}

/** The members of a JSON Schema that have a bound, each with the bound. */
function boundsOf(schema: unknown, place: string): (readonly [string, string])[] {
  if (!isObject(schema)) return []
  const n = (key: string): string | undefined => (typeof schema[key] === "number" ? schema[key].toLocaleString("en-US") : undefined)
  const most = [
    [n("maxLength"), "characters"],
    [n("maxItems"), "items"],
    [n("maxProperties"), "members"],
    [n("x-maxChars"), "characters of JSON"],
    [n("maximum"), ""],
  ].flatMap(([value, unit]) =>
    value === undefined || value === Number.MAX_SAFE_INTEGER.toLocaleString("en-US") ? [] : [`${value} ${unit}`.trim()],
  )
  const own = most.length === 0 ? [] : [[place, most.join(", ")] as const]
  const step = (name: string): string => (place === "" ? `\`${name}\`` : place.replace(/`$/, `.${name}\``))
  const { properties, additionalProperties: rest, items } = schema
  const inner = [
    ...(isObject(properties) ? Object.entries(properties).flatMap(([name, child]) => boundsOf(child, step(name))) : []),
    ...(isObject(rest) ? boundsOf(rest, step("*")) : []),
    ...(isObject(items) ? boundsOf(items, place.replace(/`$/, "[]`")) : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      Array.isArray(schema[key]) ? schema[key].flatMap((one: unknown) => boundsOf(one, place)) : [],
    ),
  ]
  return [...own, ...inner]
}

function main(check: boolean): number {
  const wrong = faults(constants())
  for (const fault of wrong) console.error(fault)
  const at = path.join(root, PAGE)
  const page = renderPage()
  const stale = !existsSync(at) || readFileSync(at, "utf8") !== page
  if (stale && check) console.error(`${PAGE} is stale: npm run limits`)
  else if (stale) writeFileSync(at, page)
  return wrong.length > 0 || (check && stale) ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.includes("--check"))
