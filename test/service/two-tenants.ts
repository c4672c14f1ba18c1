// The comparison itself: what A is told of B's things against what A is told of nothing.

import { isObject } from "../../src/core/json.ts"
import { mcpPeer } from "./mcp-peer.ts"
import { AGENT, flowOf, found, HANDLER, idOf, KIND, planOf, SKILL, TOOL, type Company } from "./possessions.ts"

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

export interface Verdict {
  readonly passed: number
  readonly failed: readonly string[]
}

export async function differences(url: string, admin: string): Promise<Verdict> {
  const peer = await mcpPeer()
  try {
    const stamp = Date.now().toString(36)
    const b = await found(url, admin, `diff-b-${stamp}`, `mine${stamp}`, undefined, `${peer.url}/mine${stamp}`)
    const a = await found(url, admin, `diff-a-${stamp}`, `other${stamp}`, undefined, `${peer.url}/other${stamp}`)
    return await compared(url, a, b)
  } finally {
    await peer.close()
  }
}

async function compared(url: string, a: Company, b: Company): Promise<Verdict> {
  const operations = await operationsOf(url)
  const failed: string[] = []
  let passed = 0
  const judge = (what: string, wrong: string | undefined): void => {
    if (wrong === undefined) passed += 1
    else failed.push(`${what}\n     ${wrong}`)
  }
  const ofB = Object.values(b.ids).filter((id) => id.length > 12 || id.includes(b.ids["flow"] ?? id))
  const shown = ({ body }: Seen): string | undefined => ofB.find((id) => body.includes(id))

  const before = await snapshot(url, b, operations)
  for (const [place, { status, body }] of before)
    judge(`${place} is there for the other tenant itself`, status === 200 ? undefined : `${status} ${body}`)
  // Lists first: later A has things of B's names, for it has made them.
  for (const { method, path, names, query } of operations) {
    if (method !== "GET" || names.length > 0 || !path.startsWith("/v1/")) continue
    judge(`GET ${path} shows nothing of the other tenant`, shown(await ask(url, a.key, method, path)))
    const cursor = query.includes("cursor") ? cursorOf((await ask(url, b.key, method, `${path}?limit=1`)).body) : undefined
    if (cursor !== undefined)
      judge(
        `GET ${path} with a cursor of the other tenant`,
        shown(await ask(url, a.key, method, `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`)),
      )
  }
  for (const operation of operations) {
    const { method, path } = operation
    try {
      for (const named of subjectsOf(operation)) {
        const theirs = named.map((name) => idOf(b.ids, path, name))
        const nobodys = theirs.map(strangerOf)
        const same = theirs.find((id, at) => id === nobodys[at])
        if (same !== undefined) throw new Error(`no stranger to ${same}`)
        const [their, nobody] = [theirs, nobodys].map((ids) => filled(operation, (name) => ids[named.indexOf(name)], a, b))
        for (const [name, body, type] of bodiesFor(operation, a, b))
          judge(
            `${method} ${path} {${named.join(", ")}}, ${name}`,
            unlike(await ask(url, a.key, method, their ?? "", body, type, theirs), await ask(url, a.key, method, nobody ?? "", body, type, nobodys)),
          )
      }
    } catch (e) {
      judge(`${method} ${path}`, e instanceof Error ? e.message : String(e))
    }
  }
  for (const [query, id] of [
    ["/v1/callback-deliveries?run=", idOf(b.ids, "", "run")],
    ["/v1/runs?flow=", idOf(b.ids, "", "flow")],
    ["/v1/runs?tag=", idOf(b.ids, "", "flow")],
    ["/v1/objects?prefix=", `${idOf(b.ids, "", "flow")}/`],
  ] as const) {
    const stranger = strangerOf(id)
    judge(
      `GET ${query}`,
      unlike(
        await ask(url, a.key, "GET", query + id, undefined, undefined, [id]),
        await ask(url, a.key, "GET", query + stranger, undefined, undefined, [stranger]),
      ),
    )
  }
  const after = await snapshot(url, b, operations)
  for (const [place, { status, body }] of before) {
    const now = after.get(place)
    judge(
      `${place} of the other tenant is as it was`,
      now?.status === status && now.body === body ? undefined : `${status} ${body}\n     ${now?.status} ${now?.body}`,
    )
  }
  // And what A was not told of is there: B is told. What removes things comes last, the inner ones first.
  const weight = ({ method, path }: Operation): number => (method === "DELETE" ? 1000 - path.length : 0)
  for (const operation of operations.filter(({ names, path }) => names.length > 0 && !path.startsWith("/v1/tenants")).sort((x, y) => weight(x) - weight(y))) {
    const { method, path } = operation
    const [[, body, type] = []] = bodiesFor(operation, b, b)
    const { status, body: said } = await ask(url, b.key, method, filled(operation, () => undefined, b, b), body, type)
    judge(`${method} ${path} finds what is one's own`, status === 404 || status === 403 || status >= 500 ? `${status} ${said}` : undefined)
  }
  return { passed, failed }
}

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

/** The parameters that a tenant's things are named by: each by itself, while the others name A's own, and all of them together. */
function subjectsOf({ names }: Operation): readonly (readonly string[])[] {
  const things = names.filter((name) => !PLACES.has(name))
  return things.length > 1 ? [...things.map((name) => [name]), things] : things.map((name) => [name])
}

/** Places in a thing, not things of a tenant: a run's questions are counted from 1. */
const PLACES: ReadonlySet<string> = new Set(["step", "file", "path", "schema", "interaction", "signal"])

/** The path: with the id that is given, else with A's own thing, or with a place in B's. */
function filled({ path, names }: Operation, given: (name: string) => string | undefined, a: Company, b: Company): string {
  return names.reduce((text, name) => {
    const value = given(name) ?? idOf((PLACES.has(name) ? b : a).ids, path, name)
    return text.replace(`{${name}}`, path.includes("/objects/") ? value : encodeURIComponent(value))
  }, path)
}

/** Of the same form and length, and nobody's: its last letters are turned round. */
export function strangerOf(id: string): string {
  return id.replace(/[0-9a-z]{4}(?=\/|$)/i, (end) => end.replace(/./g, (c) => (c === "q" ? "z" : "q")))
}

type Body = readonly [name: string, body: string | undefined, type: string | undefined]

/** With a body that is right, with one that is wrong in itself, and with none: what is wrong matters only when the thing exists [H10]. */
function bodiesFor({ method, types, id }: Operation, a: Company, b: Company): readonly Body[] {
  if (method === "GET" || method === "DELETE" || types.length === 0) return [["as it is", undefined, undefined]]
  const type = types[0] ?? "application/json"
  const right = RIGHT[id]?.(a, b)
  const bodies: Body[] = [
    ["no body", undefined, undefined],
    ["a wrong body", '{"zzz": 1}', "application/json"],
    ["broken JSON", "{", "application/json"],
  ]
  if (right !== undefined)
    bodies.unshift(["a right body", typeof right === "string" ? right : JSON.stringify(right), type === "*/*" ? "text/plain" : type])
  return bodies
}

const RIGHT: Readonly<Record<string, (a: Company, b: Company) => unknown>> = {
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
  putProvider: () => ({ kind: "scripted", turns: { "*": [{ finish: { status: "complete" } }] } }),
  putSecret: () => ({ value: "another secret" }),
  putHook: (a) => ({ flow: a.ids["flow"], kind: "token", secret: a.ids["scope"] }),
  putSchedule: (a) => ({ flow: a.ids["flow"], cron: "0 0 1 1 *" }),
  fireSchedule: () => ({}),
  redriveCallbackDelivery: () => ({}),
  putMcpServer: (a) => ({ url: a.mcp, effect: "read" }),
  refreshMcpServer: () => ({}),
  // The very list that waits at B's.
  approveMcpServer: (_, b) => ({ hash: b.ids["listed"] }),
  putReferenceKind: () => KIND,
  createReference: (_, b) => ({ text: b.ids["kind"] }),
  putPlan: (a) => planOf(a.ids["scope"] ?? ""),
}

/** The answer without what differs between any two answers; `ids` are what stood in the path. */
async function ask(url: string, key: string, method: string, place: string, body?: string, type?: string, ids: readonly string[] = []): Promise<Seen> {
  const answer = await fetch(`${url}${place}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  const headers = [...answer.headers].filter(([name]) => !OWN.has(name)).map(([name, value]) => `${name}: ${even(value, ...ids)}`)
  return { status: answer.status, headers: headers.sort().join("\n"), body: even(text, ...ids) }
}

const OWN: ReadonlySet<string> = new Set(["x-request-id", "date", "content-length", "ratelimit", "connection", "keep-alive", "etag"])

/** A's own things that were made on the way have ids, times and revisions of their own. */
export function even(text: string, ...ids: readonly string[]): string {
  return ids
    .filter((id) => id !== "")
    .reduce((named, id) => named.replaceAll(encodeURIComponent(id), "ID").replaceAll(id, "ID"), text)
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
async function snapshot(url: string, b: Company, operations: readonly Operation[]): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>()
  for (const operation of operations) {
    const { method, path } = operation
    if (method !== "GET" || !path.startsWith("/v1/") || path.startsWith("/v1/tenants")) continue
    const answer = await ask(url, b.key, "GET", filled(operation, () => undefined, b, b))
    seen.set(`GET ${path}`, { ...answer, body: MOVING.reduce((text, pattern) => text.replace(pattern, ""), answer.body) })
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
