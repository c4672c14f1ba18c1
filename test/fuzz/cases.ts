// One case of one operation: a valid request with random faults.

import { zip } from "../support/engine/zip-archive.ts"
import type { Company } from "../service/possessions.ts"
import type { Chance } from "./chance.ts"
import type { Document, Operation } from "./document.ts"
import { headers, QUERIES, SEGMENTS, STRINGS, type } from "./naughty.ts"
import { brokenLines, brokenText, spoilt } from "./spoil.ts"
import type { Asked } from "./stand.ts"
import { AGENT_TEXT, FLOW_TEXT, HANDLER_TEXT, REHEARSAL_TEXT, SKILL_TEXT } from "./texts.ts"
import { Maker } from "./valid.ts"

export interface Case {
  readonly asked: Asked
  /** The path names the tenant's own things, so that they can be read back. */
  readonly own: boolean
}

export function caseOf(operation: Operation, document: Document, chance: Chance, company: Company, admin: string): Case {
  const { method, path, names, query, key } = operation
  const strays = names.length > 0 && chance.percent(25)
  const stray = strays ? chance.of(names) : undefined
  const place = names.reduce((text, name) => {
    const value = name === stray ? chance.of(SEGMENTS) : encoded(name, placeOf(name, path, company), path)
    return text.replace(`{${name}}`, () => value)
  }, path)
  const wrongMethod = chance.percent(3)
  const more = chance.percent(25) ? headers(chance) : []
  // No start may delay the case.
  const waits = more.some(([name]) => name === "prefer") || !/^(?:startRun|callTool|openArchitect|reviseArchitect)$/.test(operation.id)
  return {
    own: !strays && !wrongMethod,
    asked: {
      method: wrongMethod ? chance.of(["PATCH", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "GET", "PURGE"]) : method,
      path: place + queryOf(query, chance),
      key: key === "admin" ? admin : key === "tenant" ? company.key : undefined,
      ...bodyOf(operation, document, chance, company),
      headers: waits ? more : [["prefer", "wait=0"], ...more],
    },
  }
}

export function placeOf(name: string, path: string, { ids, tenant }: Company): string {
  if (name === "tenant") return tenant
  if (name === "key" && path.includes("/objects/")) return ids["objects.key"] ?? "x"
  return PLACES[name] ?? ids[name] ?? "x"
}

const PLACES: Readonly<Record<string, string>> = {
  step: "choose",
  file: "SKILL.md",
  path: "a.md",
  schema: "flow.json",
  kind: "fuzzed",
  id: "x",
  plan: "fuzzed",
}

export const encoded = (name: string, value: string, path: string): string =>
  name === "key" && path.includes("/objects/") ? value : encodeURIComponent(value)

function queryOf(known: Operation["query"], chance: Chance): string {
  const pairs = chance.some(known, 30).map(({ name }) => `${name}=${chance.percent(50) ? (GOOD[name] ?? "1") : chance.of(QUERIES)}`)
  if (chance.percent(5))
    pairs.push(`${chance.of(["__proto__", "zzz", "limit", "constructor", "a[b]", "%", "token", ""])}=${chance.of(QUERIES)}`)
  if (chance.percent(3)) pairs.push(...pairs, ...pairs)
  if (chance.percent(1)) pairs.push(`x=${"y".repeat(14_000)}`)
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

const GOOD: Readonly<Record<string, string>> = {
  limit: "5",
  status: "succeeded,waiting",
  trigger: "api",
  created_after: "2026-01-01T00:00:00Z",
  flow: "asks",
  format: "pi-flows",
  prefix: "a",
}

type Body = Pick<Asked, "body" | "type">

function bodyOf(operation: Operation, document: Document, chance: Chance, company: Company): Body {
  const [media, schema] = operation.bodies.length === 0 ? ["", undefined] : chance.of(operation.bodies)
  if (media === "") return chance.percent(3) && operation.method !== "GET" ? { body: '{"a":1}', type: "application/json" } : {}
  if (chance.percent(1)) return { body: Buffer.alloc(1_048_577, "x"), type: media }
  const type_ = chance.percent(5) ? type(chance) : media
  if (/json/.test(media)) {
    const right = new Maker(document.schemas, chance, company.ids).of(schema ?? {})
    if (chance.percent(25)) return { body: JSON.stringify(right), type: type_ }
    const text = JSON.stringify(chance.percent(85) ? spoilt(chance, right) : right)
    return { body: chance.percent(20) ? brokenText(chance, text) : text, type: type_ }
  }
  const right = TEXTS[operation.id]?.(company) ?? Buffer.from(chance.of(STRINGS))
  if (typeof right !== "string")
    return { body: chance.percent(50) ? right : bent(chance, right), type: media === "*/*" ? type(chance) : type_ }
  if (chance.percent(15)) return { body: right, type: type_ }
  return { body: chance.percent(80) ? brokenLines(chance, right) : brokenText(chance, right), type: type_ }
}

/** Some bytes are changed. */
function bent(chance: Chance, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let n = chance.below(6); n > 0 && copy.length > 0; n--) copy[chance.below(copy.length)] = chance.below(256)
  return chance.percent(30) ? copy.subarray(0, chance.below(copy.length + 1)) : copy
}

const TEXTS: Readonly<Record<string, (company: Company) => string | Buffer>> = {
  putFlow: () => FLOW_TEXT,
  putAgent: () => AGENT_TEXT,
  putSkillFile: () => SKILL_TEXT,
  putHandler: () => HANDLER_TEXT,
  putRehearsal: () => REHEARSAL_TEXT,
  importFiles: () =>
    Buffer.from(
      zip([
        { name: "agents/a.md", body: Buffer.from(AGENT_TEXT) },
        { name: "b/SKILL.md", body: Buffer.from(SKILL_TEXT) },
      ]),
    ),
  deliver: ({ ids }) => Buffer.from(`{"text":"${ids["flow"] ?? ""}"}`),
}
