// The comparison itself: A's answers about B's things against A's answers about nonexistent things.

import { isObject } from "../../src/core/json.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"
import { bodiesFor, operationsOf, type Operation } from "./operations.ts"
import { mcpPeer } from "./mcp-peer.ts"
import { found, idOf, type Company } from "./possessions.ts"

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
    // A 404 names the nearest of A's own names, so these are far from B's and from a stranger's alike.
    const far = `other${Array.from(stamp).reverse().join("")}`
    const a = await found(url, admin, `diff-a-${stamp}`, far, undefined, `${peer.url}/${far}`)
    return await compared(url, a, b)
  } catch (e) {
    return { passed: 0, failed: [`nothing was compared\n     ${messageOf(e)}`] }
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
    judge(`${place} is there for the other tenant itself`, isThere(status, body) ? undefined : `${status} ${body}`)
  // Lists first: later A creates things with B's names.
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
            unlike(
              await ask(url, a.key, method, their ?? "", body, type, theirs),
              await ask(url, a.key, method, nobody ?? "", body, type, nobodys),
            ),
          )
      }
    } catch (e) {
      judge(`${method} ${path}`, messageOf(e))
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
      now?.status === status && untimed(now.body) === untimed(body) ? undefined : `${status} ${body}\n     ${now?.status} ${now?.body}`,
    )
  }
  // Things hidden from A exist: B can see them. Deletes come last, the inner ones first.
  const weight = ({ method, path }: Operation): number => (method === "DELETE" ? 1000 - path.length : 0)
  for (const operation of operations
    .filter(({ names, path }) => names.length > 0 && !path.startsWith("/v1/tenants"))
    .sort((x, y) => weight(x) - weight(y))) {
    const { method, path } = operation
    const [[, body, type] = []] = bodiesFor(operation, b, b)
    const { status, body: said } = await askOwn(url, operation, b, body, type)
    judge(`${method} ${path} finds what is one's own`, NOT_FOUND.has(status) || status >= 500 ? `${status} ${said}` : undefined)
  }
  return { passed, failed }
}

/** How long a provider took to answer is no thing of a tenant. */
const untimed = (body: string): string => body.replace(/"ms":\d+/g, '"ms":0')

/** A run that asks has no receipt yet, and a thread that is at rest has nothing to stream: both answers are the owner's alone. */
const isThere = (status: number, body: string): boolean => status === 200 || status === 204 || body.includes('"run_not_over"')

/** 0: the operation could not be tried, because a thing is missing. */
const NOT_FOUND: ReadonlySet<number> = new Set([0, 403, 404])

/** The parameters that name a tenant's things: each alone, while the others name A's own, and all of them together. */
function subjectsOf({ names }: Operation): readonly (readonly string[])[] {
  const things = names.filter((name) => !PLACES.has(name))
  return things.length > 1 ? [...things.map((name) => [name]), things] : things.map((name) => [name])
}

/** Positions within a thing, not things of a tenant: a run's questions are counted from 1. */
const PLACES: ReadonlySet<string> = new Set(["step", "file", "path", "schema", "interaction", "signal", "effect"])

/** The path: with the given id, otherwise with A's own thing, or with a position in B's. */
function filled({ path, names }: Operation, given: (name: string) => string | undefined, a: Company, b: Company): string {
  return names.reduce((text, name) => {
    const value = given(name) ?? idOf((PLACES.has(name) ? b : a).ids, path, name)
    return text.replace(`{${name}}`, path.includes("/objects/") ? value : encodeURIComponent(value))
  }, path)
}

/** The same form and length, but unused: its last letters are rotated. */
export function strangerOf(id: string): string {
  return id.replace(/[0-9a-z]{4}(?=\/|$)/i, (end) => end.replace(/./g, (c) => (c === "q" ? "z" : "q")))
}

/** The answer without the parts that differ between any two answers; `ids` are the ids in the path. */
async function ask(
  url: string,
  key: string,
  method: string,
  place: string,
  body?: string,
  type?: string,
  ids: readonly string[] = [],
): Promise<Seen> {
  const answer = await fetch(`${url}${place}`, {
    // The tenant's stream has no end; test/worker/http/feed.test.ts reads it.
    method: method === "GET" && /^\/v1\/stream(?:\?|$)/.test(place) ? "HEAD" : method,
    headers: { authorization: `Bearer ${key}`, "a2a-version": "1.0", ...(type === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  const headers = [...answer.headers].filter(([name]) => !OWN.has(name)).map(([name, value]) => `${name}: ${even(value, ...ids)}`)
  return { status: answer.status, headers: headers.sort().join("\n"), body: even(text, ...ids) }
}

const OWN: ReadonlySet<string> = new Set(["x-request-id", "date", "content-length", "ratelimit", "connection", "keep-alive", "etag"])

/** A's own things made along the way have their own ids, times and revisions. */
export function even(text: string, ...ids: readonly string[]): string {
  return ids
    .filter((id) => id !== "")
    .reduce((named, id) => named.replaceAll(encodeURIComponent(id), "ID").replaceAll(id, "ID"), text)
    .replace(/run_[0-9a-z]{26,32}/g, "RUN")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/"[0-9a-f]{64}"/g, '"HASH"')
    .replace(/"revision":\d+/g, '"revision":N')
}

function unlike(one: Seen, other: Seen): string | undefined {
  if (one.status !== other.status) return `${one.status} ${one.body.slice(0, 300)}\n     ${other.status} ${other.body.slice(0, 300)}`
  if (one.body !== other.body) return `${one.body.slice(0, 400)}\n     ${other.body.slice(0, 400)}`
  return one.headers === other.headers ? undefined : `${one.headers}\n     ${other.headers}`
}

async function askOwn(url: string, operation: Operation, own: Company, body?: string, type?: string): Promise<Seen> {
  try {
    return await ask(
      url,
      own.key,
      operation.method,
      filled(operation, () => undefined, own, own),
      body,
      type,
    )
  } catch (e) {
    return { status: 0, headers: "", body: messageOf(e) }
  }
}

/** Everything of B's that its own key can read, except what changes by itself. */
async function snapshot(url: string, b: Company, operations: readonly Operation[]): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>()
  for (const operation of operations) {
    const { method, path } = operation
    if (method !== "GET" || !path.startsWith("/v1/") || path.startsWith("/v1/tenants")) continue
    const answer = await askOwn(url, operation, b)
    seen.set(`GET ${path}`, { ...answer, body: MOVING.reduce((text, pattern) => text.replace(pattern, ""), answer.body) })
  }
  return seen
}

/** A callback to an unreachable receiver is retried repeatedly. */
const MOVING: readonly RegExp[] = [/"(?:attempts|last_status|last_error|status|last_used)":(?:"[^"]*"|\d+|null),?/g]

function cursorOf(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) && typeof value["next_cursor"] === "string" ? value["next_cursor"] : undefined
  } catch {
    return undefined
  }
}
