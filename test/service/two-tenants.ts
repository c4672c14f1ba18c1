// The comparison itself: what A is told of B's things against what A is told of nothing.

import { isObject } from "../../src/core/json.ts"
import { AGENT, flowOf, found, HANDLER, SKILL, TOOL, type Company, type Ids } from "./possessions.ts"

interface Operation {
  readonly method: string
  readonly path: string
  readonly names: readonly string[]
  readonly query: readonly string[]
  readonly types: readonly string[]
  readonly id: string
}

interface Seen {
  readonly status: number
  readonly headers: string
  readonly body: string
}

export async function differences(url: string, admin: string): Promise<{ passed: number; failed: string[] }> {
  const stamp = Date.now().toString(36)
  const b = await found(url, admin, `diff-b-${stamp}`, `mine${stamp}`)
  const a = await found(url, admin, `diff-a-${stamp}`, `other${stamp}`)
  const operations = await operationsOf(url)
  const failed: string[] = []
  let passed = 0
  const judge = (what: string, wrong: string | undefined): void => {
    if (wrong === undefined) passed += 1
    else failed.push(`${what}\n     ${wrong}`)
  }

  const before = await snapshot(url, b, operations)
  for (const operation of operations) {
    const { method, path, names } = operation
    const line = `${method} ${path}`
    const asked = subjectsOf(operation)
    for (const [place, own] of asked)
      for (const [name, body, type] of bodiesFor(operation, a)) {
        const theirs = own(b.ids)
        const nobodys = strangerOf(theirs)
        const [one, other] = [
          await ask(url, a.key, method, fill(path, names, place, theirs, a.ids), body, type, theirs),
          await ask(url, a.key, method, fill(path, names, place, nobodys, a.ids), body, type, nobodys),
        ]
        judge(`${line} {${place}}, ${name}`, unlike(one, other))
      }
    if (method === "GET" && names.length === 0 && path.startsWith("/v1/")) {
      const { body } = await ask(url, a.key, method, path)
      judge(
        `${line} shows nothing of the other tenant`,
        Object.values(b.ids).find((id) => id.length > 12 && id !== ZEROS && body.includes(id)),
      )
    }
    if (operation.query.includes("cursor") && names.length === 0) {
      const theirs = cursorOf((await ask(url, b.key, method, `${path}?limit=1`)).body)
      if (theirs !== undefined) {
        const got = await ask(url, a.key, method, `${path}?limit=1&cursor=${encodeURIComponent(theirs)}`)
        const shown = Object.values(b.ids).find((id) => id.length > 12 && id !== ZEROS && got.body.includes(id))
        judge(`${line} with a cursor of the other tenant`, shown)
      }
    }
  }
  for (const [query, theirs] of [
    ["/v1/callback-deliveries?run=", b.ids["run"]],
    ["/v1/runs?flow=", b.ids["flow"]],
    ["/v1/runs?tag=", b.ids["flow"]],
    ["/v1/objects?prefix=", `${b.ids["flow"]}/`],
  ] as const) {
    const id = theirs ?? ""
    judge(
      `GET ${query}`,
      unlike(
        await ask(url, a.key, "GET", query + id, undefined, undefined, id),
        await ask(url, a.key, "GET", query + strangerOf(id), undefined, undefined, strangerOf(id)),
      ),
    )
  }
  const after = await snapshot(url, b, operations)
  for (const [place, text] of before)
    judge(`${place} of the other tenant is as it was`, after.get(place) === text ? undefined : `${text}\n     ${after.get(place)}`)
  return { passed, failed }
}

const ZEROS = "0".repeat(64)

async function operationsOf(url: string): Promise<Operation[]> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const paths = isObject(document) && isObject(document["paths"]) ? document["paths"] : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, op]): Operation[] => {
      // Open routes are opened by what stands in them; there is no key to tell tenants apart.
      if (!isObject(op) || (Array.isArray(op["security"]) && op["security"].length === 0)) return []
      const parameters = Array.isArray(op["parameters"]) ? op["parameters"].filter(isObject) : []
      const named = (where: string): string[] => parameters.flatMap((p) => (p["in"] === where ? [String(p["name"])] : []))
      const body = isObject(op["requestBody"]) && isObject(op["requestBody"]["content"]) ? Object.keys(op["requestBody"]["content"]) : []
      return [
        { method: method.toUpperCase(), path, names: named("path"), query: named("query"), types: body, id: String(op["operationId"]) },
      ]
    }),
  )
}

/** The parameters that a tenant's things are named by; each is tried with B's id while the others are A's own, or a place in a thing. */
function subjectsOf({ path, names }: Operation): readonly (readonly [string, (ids: Ids) => string])[] {
  return names.flatMap((name) => {
    if (FIXED.has(name)) return []
    if (name === "tenant") return [[name, () => "diff-b"] as const]
    if (name === "key" && path.includes("/objects/")) return [[name, (ids: Ids) => ids["object"] ?? ""] as const]
    return [[name, (ids: Ids) => ids[name] ?? ""] as const]
  })
}

/** Places in a thing, not things of a tenant: a run's questions are counted from 1. */
const FIXED: ReadonlySet<string> = new Set(["step", "file", "path", "schema", "interaction"])
const PLACES: Ids = { step: "choose", file: "SKILL.md", path: "a.md", schema: "flow.json" }

function fill(path: string, names: readonly string[], place: string, id: string, own: Ids): string {
  return names.reduce((text, name) => {
    const value = name === place ? id : (PLACES[name] ?? own[name] ?? "x")
    return text.replace(`{${name}}`, name === "key" && path.includes("/objects/") ? value : encodeURIComponent(value))
  }, path)
}

/** Of the same form and length, and nobody's: its last letters are turned round. */
export function strangerOf(id: string): string {
  return id.replace(/[0-9a-z]{4}(?=\/|$)/i, (end) => end.replace(/./g, (c) => (c === "q" ? "z" : "q")))
}

type Body = readonly [name: string, body: string | undefined, type: string | undefined]

/** With a body that is right, with one that is wrong in itself, and with none: what is wrong matters only when the thing exists [H10]. */
function bodiesFor({ method, types, path, id }: Operation, a: Company): readonly Body[] {
  if (method === "GET" || method === "DELETE" || types.length === 0) return [["as it is", undefined, undefined]]
  const type = types[0] ?? "application/json"
  const right = RIGHT[id]?.(a)
  const bodies: Body[] = [
    ["no body", undefined, undefined],
    ["a wrong body", '{"zzz": 1}', "application/json"],
    ["broken JSON", "{", "application/json"],
  ]
  if (right !== undefined)
    bodies.unshift(["a right body", typeof right === "string" ? right : JSON.stringify(right), type === "*/*" ? "text/plain" : type])
  // Writing under a name of one's own: the name is free for A, whoever else has it, so wrong bodies are enough of one kind.
  return method === "PUT" && path.startsWith("/v1/catalog") ? [] : bodies
}

const RIGHT: Readonly<Record<string, (a: Company) => unknown>> = {
  startRun: () => ({ rehearse: true }),
  answerInteraction: () => ({ answer: "left" }),
  answerQuestion: () => ({ answer: "x" }),
  makeAnswerLink: () => ({}),
  makeRunToken: () => ({ ttl: 60 }),
  cancelRun: () => ({}),
  pauseRun: () => ({}),
  resumeRun: () => ({}),
  steerStep: () => ({ message: "go on" }),
  signalRun: () => ({ a: 1 }),
  acceptArchitect: () => ({}),
  reviseArchitect: () => ({ notes: "again" }),
  putFlow: () => flowOf("x"),
  putAgent: () => AGENT("x"),
  putSkillFile: () => SKILL("x"),
  putHandler: () => HANDLER,
  putRehearsal: () => "steps: {}\n",
  putPackage: () => ({ version: "1.0.0", agents: {} }),
  putTool: () => TOOL,
  callTool: () => ({}),
  putObject: () => "text",
  putProvider: () => ({ kind: "scripted", turns: { "*": [] } }),
  putSecret: () => ({ value: "another secret" }),
  putHook: (a) => ({ flow: a.ids["flow"], kind: "token", secret: a.ids["scope"] }),
  putSchedule: (a) => ({ flow: a.ids["flow"], cron: "0 0 1 1 *" }),
  fireSchedule: () => ({}),
  redriveCallbackDelivery: () => ({}),
}

/** The answer without what differs between any two answers; `id` is what stood in the path. */
async function ask(url: string, key: string, method: string, place: string, body?: string, type?: string, id = ""): Promise<Seen> {
  const answer = await fetch(`${url}${place}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  const headers = [...answer.headers].filter(([name]) => !OWN.has(name)).map(([name, value]) => `${name}: ${even(value, id)}`)
  return { status: answer.status, headers: headers.sort().join("\n"), body: even(text, id) }
}

const OWN: ReadonlySet<string> = new Set(["x-request-id", "date", "content-length", "ratelimit", "connection", "keep-alive", "etag"])

/** A's own things that were made on the way have ids, times and revisions of their own. */
export function even(text: string, id: string): string {
  const named = id === "" ? text : text.replaceAll(encodeURIComponent(id), "ID").replaceAll(id, "ID")
  return named
    .replace(/run_[0-9a-z]{26}/g, "RUN")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/"[0-9a-f]{64}"/g, '"HASH"')
    .replace(/"revision":\d+/g, '"revision":N')
}

function unlike(one: Seen, other: Seen): string | undefined {
  if (one.status !== other.status) return `${one.status} ${one.body.slice(0, 300)}\n     ${other.status} ${other.body.slice(0, 300)}`
  if (one.body !== other.body) return `${one.body.slice(0, 400)}\n     ${other.body.slice(0, 400)}`
  return one.headers === other.headers ? undefined : `${one.headers}\n     ${other.headers}`
}

/** Everything of B's that its own key can look at, but what moves by itself. */
async function snapshot(url: string, b: Company, operations: readonly Operation[]): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  for (const { method, path, names } of operations) {
    if (method !== "GET" || !path.startsWith("/v1/") || path.startsWith("/v1/tenants") || names.some((name) => FIXED.has(name))) continue
    const place = names.reduce((text, name) => {
      const value = (name === "key" && path.includes("/objects/") ? b.ids["object"] : b.ids[name]) ?? "x"
      return text.replace(`{${name}}`, name === "key" ? value : encodeURIComponent(value))
    }, path)
    const { status, body } = await ask(url, b.key, "GET", place)
    seen.set(`GET ${path}`, `${status} ${MOVING.reduce((text, pattern) => text.replace(pattern, ""), body)}`)
  }
  return seen
}

/** A callback to a receiver that is not there is tried again and again. */
const MOVING: readonly RegExp[] = [/"(?:attempts|last_status|last_error|status|last_used)":(?:"[^"]*"|\d+|null),?/g]

function cursorOf(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) && typeof value["next_cursor"] === "string" ? value["next_cursor"] : undefined
  } catch {
    return undefined
  }
}
