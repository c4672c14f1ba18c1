// Writes docs/LIMITS.md, the limits that people meet first. `npm run limits` prints every limit in src with its value, the response beyond
// it and the test that shows it, then the limits of each member of a request and each argument of a tool; with words, only lines that
// contain them. `--check` fails if the page is stale.
//
// A limit is described in a comment at its constant, in the form `limit: characters of a name → the name is refused`.
// test/limits/shown-by.txt names the test that shows it. Every top-level number in src needs such a comment, or a reason in not-limits.ts;
// a constant without either is a fault, and so is a test that does not exist.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { API } from "../src/api/api.ts"
import { isObject } from "../src/core/json.ts"
import { specsFor } from "../src/tools/toolbox.ts"
import { NOT_LIMITS } from "./not-limits.ts"
import { publish } from "./pages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const PAGE = "docs/LIMITS.md"
const SHOWN_BY = "test/limits/shown-by.txt"

/** The bounds on the page. */
const MET: readonly string[] = [
  "http/middleware/body.ts BODY_LIMIT",
  "api/route/route.ts LARGE_BODY",
  "http/middleware/body.ts DEPTH_LIMIT",
  "api/route/route.ts MAX_PAGE",
  "http/runs/start-run.ts WAIT_LIMIT",
  "core/schema/bounded.ts MAX_GIVEN",
  "core/run/given-file.ts MAX_GIVEN_FILES",
  "core/run/given-file.ts MAX_GIVEN_BYTES",
  "core/flow/parse/yaml-scan.ts MAX_BYTES",
  "core/flow/parse/yaml-scan.ts MAX_DEPTH",
  "core/flow/parse/yaml-scan.ts MAX_KEYS",
  "core/flow/code-file.ts MAX_CODE_BYTES",
  "core/flow/code-file.ts MAX_BUNDLE_BYTES",
  "cloudflare/sandbox/sandbox-harness.ts MOST",
  "cloudflare/sandbox/sandbox-harness.ts MAX_RESULT_BYTES",
  "core/flow/flow-face.ts MAX_NESTING",
  "core/steps/map.ts MAX_ITEMS",
  "core/flow/model-ref.ts MAX_MODELS",
  "engine/run/decision.ts MAX_EFFECTS",
  "models/reply/patience.ts MAX_CALL_MS",
  "models/reply/patience.ts USUAL_SILENCE_MS",
  "core/run/session/calls.ts MAX_CALLS",
  "core/schema/arg-value.ts MAX_ARG_BYTES",
  "core/run/session/repetition.ts STUCK_AFTER",
  "core/run/session/tool-search.ts MAX_TOOL_TOKENS",
  "core/run/session/ask/interaction.ts MAX_QUESTIONS",
  "core/run/session/files/attachment.ts MAX_ATTACHED_BYTES",
  "engine/run/call/execute-tool.ts DEFAULT_TIMEOUT",
  "engine/net/net.ts TIMEOUT",
  "engine/net/net.ts MAX_BYTES",
  "tools/shell/shell-meter.ts MOST_STEPS",
  "tools/shell/bash-changes.ts MOST_WRITTEN",
  "engine/catalog/catalog-diagnostics.ts MAX_FILES",
  "engine/import/zip.ts MOST_BYTES",
  "core/tool/openapi.ts MAX_OPERATIONS",
  "engine/net/mcp-servers.ts MAX_SERVERS",
  "ports/tenant/tool-catalog.ts MAX_TOOLS",
  "ports/workspace.ts MAX_FILE_BYTES",
  "cloudflare/memory/memory-sql.ts ENTRY_BYTES",
  "ports/tenant/hooks.ts MOST_HOOKS",
  "ports/tenant/schedules.ts MOST_SCHEDULES",
  "ports/tenant/sums.ts KEPT_HOURS",
  "ports/tenant/sums.ts KEPT_DAYS",
  "cloudflare/tenant/insight/sum-store.ts MOST_FLOWS",
  "core/run/usage/sum.ts MOST_STEPS",
  "core/run/usage/sum.ts MOST_TOOLS",
  "core/run/usage/sum.ts MOST_CHARS",
]

export interface Constant {
  readonly file: string
  readonly name: string
  /** As the source has it, such as `256 * 1024`. */
  readonly text: string
  /** What it bounds, and what answers beyond it; absent: the source does not say. */
  readonly limit?: { readonly bounds: string; readonly beyond: string }
}

/** Every top-level number in src, in file order. */
export function constants(): Constant[] {
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  return files
    .map((file) => file.split(path.sep).join("/"))
    .toSorted()
    .flatMap((file) => constantsIn(file, readFileSync(path.join(root, "src", file), "utf8")))
}

export function constantsIn(file: string, source: string): Constant[] {
  const number =
    /((?:^(?:\/\/|\/\*\*| \*).*\n)*)^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: number)? = (-?[0-9][0-9_.eE-]*(?: [*/+-] [A-Z0-9_.]+)*|[A-Z][A-Z0-9_]*(?: [*/+-] [A-Z0-9_.]+)*)( \/\/ .*)?$/gm
  return [...source.matchAll(number)].map(([, above = "", name = "", text = "", behind = ""]) => {
    const told = /.*\b[Ll]imit: (.+?) → (.+?)\.?$/.exec(
      `${above}${behind}`
        .replaceAll(/^(?:\/\/|\/\*\*| \*)| \*\/$/gm, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    const [, bounds, beyond] = told ?? []
    return { file, name, text, ...(bounds === undefined || beyond === undefined ? {} : { limit: { bounds, beyond } }) }
  })
}

/** The value of an expression of numbers and constants in `all`, preferably from the same file; undefined: not such an expression. */
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

interface Row extends Required<Constant> {
  readonly value: string
}

const rowsOf = (all: readonly Constant[]): Row[] =>
  all.flatMap(({ limit, ...one }) => {
    const value = limit && valueOf(one, all)
    return limit && value !== undefined ? [{ ...one, limit, value: value.toLocaleString("en-US") }] : []
  })

const keyOf = ({ file, name }: Constant): string => `${file} ${name}`

/** The test that shows a bound: its file below test/, and a part of its title. */
function shownBy(): ReadonlyMap<string, { readonly test: string; readonly title: string }> {
  const lines = readFileSync(path.join(root, SHOWN_BY), "utf8").trimEnd().split("\n")
  return new Map(lines.map((line) => line.split(" | ")).map(([key = "", test = "", title = ""]) => [key, { test, title }]))
}

/** The faults; empty: every number is accounted for. */
export function faults(all: readonly Constant[]): string[] {
  const known = new Set(rowsOf(all).map(keyOf))
  return [
    ...all
      .filter((one) => valueOf(one, all) !== undefined)
      .map(keyOf)
      .filter((one) => !known.has(one) && !NOT_LIMITS.some(([pattern]) => pattern.test(one)))
      .map((one) => `${one}: no comment says \`limit: what → what answers beyond it\`, and not-limits.ts does not say why`),
    ...[...shownBy()].flatMap(([key, { test, title }]) => {
      if (!known.has(key)) return [`${key}: is in ${SHOWN_BY}, but is no limit of src`]
      const at = path.join(root, "test", test)
      return existsSync(at) && readFileSync(at, "utf8").includes(title) ? [] : [`${key}: test/${test} has no "${title}"`]
    }),
    ...MET.filter((one) => !known.has(one)).map((one) => `${one}: is on the page, but is no limit of src`),
  ]
}

/** Limits that no test passes yet. Capacities of this build's own, beyond which it goes on as before, answer no one and do not count. */
export function untested(all: readonly Constant[]): string[] {
  const shown = shownBy()
  return rowsOf(all)
    .filter((row) => !shown.has(keyOf(row)) && !GOES_ON.test(row.limit.beyond))
    .map(keyOf)
}

const GOES_ON = /^(the cache is emptied|the oldest( one)? (is forgotten|leaves)|the next |it rings then|all are forgotten)/

export function renderPage(all: readonly Constant[]): string {
  const rows = rowsOf(all)
  const met = MET.flatMap((one) => rows.find((row) => keyOf(row) === one) ?? [])
  return `# Limits

Everything that comes from outside has a greatest size: bytes, counts, depth, time. \`npm run limits\` prints all ${rows.length} bounds of the code, each with
its value, its constant, what answers beyond it and the test that shows it; then the bounds of each member of a request (beyond them is 422 with
the member, its limit and its size) and of each argument of a tool (beyond them a call is refused: \`invalid_args\`). \`npm run limits -- schedule\` prints
the lines about schedules. An event's members are bounded where they enter a run.

Tests assert that every number at the top of a file of \`src\` is among these bounds or has a reason not to be
([limits-page](../test/limits/limits-page.test.ts)), and that members of [requests](../test/limits/api-bounds.test.ts),
[events](../test/limits/event-bounds.test.ts) and [arguments](../test/limits/tool-bounds.test.ts) have a bound. \`npm run limits\` also writes this page: do not edit it.

## The bounds that people meet first

| bound | at most | beyond it |
|---|---:|---|
${met.map(({ limit, value }) => `| ${limit.bounds} | ${value} | ${limit.beyond} |`).join("\n")}
`
}

/** Every bound as a line. */
export function list(all: readonly Constant[]): string[] {
  const shown = shownBy()
  const members = Object.entries(API).flatMap(([id, route]) => {
    const { body, query, headers } = { query: undefined, headers: undefined, body: undefined, ...route }
    const parameters = Object.entries({ ...query, ...headers }).flatMap(([name, { schema }]) => boundsOf(schema, `\`${name}\` (parameter)`))
    const inBody = body === undefined ? [] : boundsOf(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }), "")
    return [...inBody, ...parameters].map(([member, most]) => `${id} ${member}: ${most}`)
  })
  const args = [...specsFor("open")].flatMap(([name, { parameters }]) =>
    boundsOf(parameters, "").map(([member, most]) => `tool ${name} ${member}: ${most}`),
  )
  return [
    ...rowsOf(all).map((row) => {
      const test = shown.get(keyOf(row))?.test
      return `${row.value} ${row.limit.bounds}; beyond: ${row.limit.beyond}. src/${keyOf(row)}${test === undefined ? "" : `, test/${test}`}`
    }),
    ...members,
    ...args,
    ...NOT_LIMITS.map(([, why]) => `a number, but no limit: ${why}`),
  ]
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = constants()
  process.exitCode = publish("npm run limits", new Map([[PAGE, renderPage(all)]]), list(all), faults(all))
}
