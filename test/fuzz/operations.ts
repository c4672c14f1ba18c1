// Every operation of the document, with a number of cases each. Besides each answer: a refused write changes nothing, another tenant's
// thing is answered like a nonexistent one [H2, S10], and the fixed questions get the same answers as before.

import { found, type Company } from "../service/possessions.ts"
import { even, strangerOf } from "../service/two-tenants.ts"
import { caseOf, encoded, placeOf } from "./cases.ts"
import { Chance } from "./chance.ts"
import type { Operation } from "./document.ts"
import { shown } from "./judge.ts"
import { RECEIVER, type Asked, type Stand } from "./stand.ts"
import type { Answer } from "./wire.ts"

/** Deletes and cancels wear a tenant out: a number of cases of each operation, then a new tenant. */
const ROUND = 8

export async function attackOperations(
  stand: Stand,
  url: string,
  { seed, runs, only }: { readonly seed: string; readonly runs: number; readonly only: string },
): Promise<void> {
  const stamp = Date.now().toString(36)
  const other = await found(url, stand.admin, `fuzz-b-${stamp}`, `mine${stamp}`, RECEIVER)
  const quiet = await found(url, stand.admin, `fuzz-q-${stamp}`, `quiet${stamp}`, RECEIVER)
  const calm = await stand.probe(quiet.key)
  for (let round = 0; round * ROUND < runs; round++) {
    const company = await found(url, stand.admin, `fuzz-${stamp}-${round}`, `own${stamp}${round}`, RECEIVER)
    const order = new Chance(seed, "order", round)
    for (const operation of inOrder(stand.document.operations, order)) {
      if (!operation.id.includes(only)) continue
      for (let at = round * ROUND; at < Math.min(runs, (round + 1) * ROUND); at++) {
        const chance = new Chance(seed, operation.id, at)
        await attack(stand, operation, chance, company)
        if (at % 4 === 0) await compare(stand, operation, chance, company, other)
      }
      const now = await stand.probe(quiet.key)
      stand.tally.note(`${operation.id}: the fixed questions are answered otherwise`, now === calm ? undefined : difference(calm, now))
    }
  }
}

/** Operations that end things come last; otherwise the dice decide what an operation finds. */
function inOrder(operations: readonly Operation[], chance: Chance): readonly Operation[] {
  const rank = ({ method, id }: Operation): number =>
    id === "deleteTenant" ? 2 : method === "DELETE" ? 1 : chance.below(1_000_000) / 1_000_000
  return operations
    .map((operation) => ({ operation, rank: rank(operation) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ operation }) => operation)
}

async function attack(stand: Stand, operation: Operation, chance: Chance, company: Company): Promise<void> {
  const { asked, own } = caseOf(operation, stand.document, chance, company, stand.admin)
  const look = own && operation.method !== "GET" && chance.percent(50) ? lookOf(stand, operation, company) : undefined
  const before = look && (await resting(stand, look))
  const meant = asked.method === operation.method && isOf(operation, asked.path.split("?")[0] ?? "")
  const answer = await stand.judge(operation.id, asked, { operation: meant ? operation : undefined })
  if (!look || !before || answer.status < 400) return
  const after = await stand.ask(look)
  const same = before.status === after.status && still(before.text) === still(after.text)
  stand.tally.note(
    `${operation.id}: refused, and something changed`,
    same
      ? undefined
      : `${asked.method} ${asked.path} ${answer.status} ${answer.text.slice(0, 300)}\n${difference(still(before.text), still(after.text))}`,
  )
}

/** Working things change by themselves: an architect's session, a run. They are read once at rest; undefined: still working. */
async function resting(stand: Stand, look: Asked): Promise<Answer | undefined> {
  for (let tries = 0; tries < 40; tries++) {
    const answer = await stand.ask(look)
    if (!/"status":"(?:working|running|queued)"/.test(answer.text)) return answer
    await new Promise((wake) => setTimeout(wake, 50))
  }
  return undefined
}

/** Dots in a path lead elsewhere, and an extra slash is a different path. */
function isOf({ path }: Operation, asked: string): boolean {
  const form = path.replace(/\{(?:path|file|key)\}$/, ".+").replace(/\{\w+\}/g, "[^/]+")
  return new RegExp(`^${form}$`).test(asked) && new URL(asked, "http://local").pathname === asked
}

/** The nearest readable ancestor: a refused write must not have changed it. */
function lookOf({ document, admin }: Stand, { path, key }: Operation, company: Company): Asked | undefined {
  for (let parts = path.split("/"); parts.length > 2; parts = parts.slice(0, -1)) {
    const place = parts.join("/")
    const read = document.operations.find((o) => o.method === "GET" && o.path === place)
    if (!read) continue
    const filled = read.names.reduce((text, name) => text.replace(`{${name}}`, encoded(name, placeOf(name, path, company), path)), place)
    return { method: "GET", path: filled, key: key === "admin" ? admin : company.key }
  }
  return undefined
}

/** Runs continue by themselves, callbacks are retried, a key records when it was used. */
const still = (text: string): string =>
  text.replace(
    /"(?:attempts|last|last_status|last_error|status|last_used|ended|pending|usage|waiting)":(?:"[^"]*"|\d+|null|true|false|\{[^{}]*\}),?/g,
    "",
  )

const NEVER_THERE: ReadonlySet<string> = new Set([
  "tenant",
  "step",
  "file",
  "path",
  "schema",
  "interaction",
  "kind",
  "id",
  "plan",
  "token",
  "handle",
  "signal",
  "server",
])

/** The same request with the other tenant's id and with an unused id. A PUT creates missing things, so it proves nothing here. */
async function compare(stand: Stand, operation: Operation, chance: Chance, company: Company, other: Company): Promise<void> {
  const { names, path, method, key } = operation
  if (method === "PUT" || key !== "tenant") return
  const { asked } = caseOf({ ...operation, names: [], path: "" }, stand.document, chance, company, stand.admin)
  for (const subject of names) {
    const theirs = placeOf(subject, path, other)
    // Names that both tenants have are not a secret of either.
    if (NEVER_THERE.has(subject) || theirs === placeOf(subject, path, company) || theirs.length < 6) continue
    const answerFor = async (id: string): Promise<Answer> => {
      const place = names.reduce((text, name) => {
        const value = name === subject ? id : placeOf(name, path, company)
        return text.replace(`{${name}}`, encoded(name, value, path))
      }, path)
      return stand.ask({
        ...asked,
        method,
        path: place + asked.path,
        headers: asked.headers?.filter(([name]) => name !== "idempotency-key") ?? [],
      })
    }
    const unused = strangerOf(theirs)
    const [one, two] = [bare(await answerFor(theirs), theirs), bare(await answerFor(unused), unused)]
    stand.tally.note(
      `${operation.id}: another tenant's {${subject}} is not answered like an unused id [H2]`,
      one === two
        ? undefined
        : `${shown({ method, path: path + asked.path, headers: asked.headers ?? [] }, { status: 0, headers: [], text: "", ms: 0 })}\n${difference(one, two)}`,
    )
  }
}

const OWN: ReadonlySet<string> = new Set([
  "x-request-id",
  "date",
  "content-length",
  "ratelimit",
  "connection",
  "keep-alive",
  "etag",
  "traceparent",
])

const bare = ({ status, headers, text }: Answer, id: string): string =>
  `${status}\n${headers
    .flatMap(([name, value]) => (OWN.has(name) ? [] : [`${name}: ${even(value, id)}`]))
    .sort()
    .join("\n")}\n${even(text, id)}`

function difference(one: string, two: string): string {
  let at = 0
  while (at < one.length && one[at] === two[at]) at += 1
  const from = Math.max(0, at - 80)
  return `${one.slice(from, at + 300)}\n${two.slice(from, at + 300)}`
}
