// Reads HTTP tools as data [T26], as tenants register them. Scheme and host are fixed in the definition; a model only fills in the parts
// after them. Its faults are in http-tool-faults.ts, the request of a call in http-tool-request.ts.

import { z } from "zod"
import { bodyFaults } from "../schema/body-faults.ts"
import { objectWithin, recordOf, within } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"
import { canonical } from "../json.ts"
import { parseApprovalRule } from "./policy/approval-rule.ts"
import { err, ok, type Result } from "../result.ts"
import type { HttpToolDef } from "./tool-def.ts"
import { hiddenFaults, parameterFaults, requestFaults, simulateFaults, undoFaults, type ToolFault } from "./http-tool-faults.ts"

/** A definition is a row of the tenant's object and a part of every run that pins it. */
const MAX_DEFINITION = 64 * 1024 // limit: characters of a registered tool → 422
const MAX_TIMEOUT = 600_000 // limit: milliseconds of a registered tool's timeout → 422 at `/timeout`
const MOST_FAULTS = 50 // limit: faults told of a registered tool → further ones are not told

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const text = (most: number) => z.string().min(1).max(most)
const header = z.string().regex(HEADER_NAME, "is not a header name")

/** `30s`, `5m` or milliseconds. */
const duration = () =>
  z
    .union([
      z.number().int(),
      z
        .string()
        .max(9)
        .regex(/^\d{1,6}(ms|s|m)$/, "must be a number of milliseconds, or a duration such as 30s or 5m"),
    ])
    .transform(msOf)

const approvalRule = () =>
  within(z.unknown(), MAX_DEFINITION).transform((value, ctx) => {
    const rule = parseApprovalRule(value)
    if (rule.ok) return rule.value
    ctx.issues.push({ code: "custom", message: rule.error.message, input: value })
    return z.NEVER
  })

const styles = () => recordOf(z.enum(["deep", "members"]), 200, z.string().min(1).max(500)).exactOptional()

const word = () => text(500).exactOptional()
const words = () => z.array(z.string().min(1).max(200)).max(100).exactOptional()
const request = () => ({
  method: z
    .string()
    .max(10)
    .transform((m) => m.toUpperCase())
    .pipe(z.enum(METHODS)),
  url: text(4_000),
  headers: recordOf(z.string().max(4_000), 100, header).exactOptional(),
  body: within(z.json(), MAX_DEFINITION).exactOptional(),
})

export const Registration = later(() =>
  z.strictObject({
    label: text(200).exactOptional(),
    description: text(4_000),
    parameters: objectWithin(MAX_DEFINITION),
    request: z.strictObject({
      ...request(),
      styles: z.strictObject({ query: styles(), body: styles() }).exactOptional(),
    }),
    auth: z
      .strictObject({
        scope: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be the name of a secret's scope"),
        header: header.exactOptional(),
        scheme: z
          .string()
          .regex(/^[A-Za-z0-9_-]{0,40}$/, "must be one word, such as Bearer")
          .exactOptional(),
      })
      .exactOptional(),
    effect: z.enum(["none", "read", "write"]).exactOptional(),
    idempotent: z.boolean().exactOptional(),
    simulate: text(4_000).exactOptional(),
    undo: z.strictObject(request()).exactOptional(),
    untrusted: z.boolean().exactOptional(),
    approval: approvalRule().exactOptional(),
    timeout: duration()
      .pipe(z.number().min(1).max(MAX_TIMEOUT, `must be at most ${MAX_TIMEOUT} ms`))
      .exactOptional(),
    truncate: z.enum(["head", "tail"]).exactOptional(),
    render: z
      .strictObject({
        call: z.strictObject({ label: word(), action: word(), main: word(), hide: words(), long: words() }).exactOptional(),
        result: z.strictObject({ summary: word(), items: word(), item: word(), footer: word() }).exactOptional(),
      })
      .exactOptional(),
  }),
)

function msOf(given: number | string): number {
  if (typeof given === "number") return given
  const unit = given.endsWith("ms") ? 1 : given.endsWith("s") ? 1_000 : 60_000
  return Number.parseInt(given, 10) * unit
}

/** The caller has checked `name`; engine/net/address-guard.ts also checks the address. */
export function readHttpTool(name: string, body: unknown): Result<HttpToolDef, readonly ToolFault[]> {
  const parsed = Registration.safeParse(body)
  if (!parsed.success) return err(bodyFaults(Registration, body, parsed.error.issues, MOST_FAULTS))
  const def = { kind: "http", name, ...parsed.data } satisfies HttpToolDef
  const faults = [
    ...parameterFaults(def.parameters),
    ...requestFaults(def, "/request"),
    ...simulateFaults(def),
    ...undoFaults(def),
    ...hiddenFaults(def),
  ]
  if (canonical(def).length > MAX_DEFINITION) faults.push({ pointer: "", message: `is longer than ${MAX_DEFINITION / 1024} KiB` })
  return faults.length === 0 ? ok(def) : err(faults)
}
