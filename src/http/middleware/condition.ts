// Recognizes faults that are not bugs: those of the server's environment, which the operator can fix, and a run that begins late.

import type { MiddlewareHandler } from "hono"
import { isDiskFaulty, isDiskFull } from "../../engine/disk-full.ts"
import type { InstanceServices } from "../../ports/services.ts"
import type { CallEnv } from "./call.ts"
import { refuse, type Refusal } from "./problem.ts"

const FULL: Refusal = {
  code: "disk_full",
  detail: "The disk of the server is full, so nothing was written. Free some room there, then send the request again.",
  headers: { "retry-after": "30" },
}
const FAULTY =
  "The disk of the server is read-only or fails, so the request was not carried out. Make it writable, then send the request again."
/** What workerd says of a fault of its own, such as a write that it could not make. */
const PLATFORM = /^internal error\b/

/** They write nothing, or make room. */
const ALLOWED_WHEN_FULL = new Set(["GET", "HEAD", "OPTIONS", "DELETE"])

/** Its readers ask what is under way, and get the truth. */
const HEALTH = new Set(["/healthz", "/readyz"])

export const STOPPING: Refusal = {
  code: "not_ready",
  detail: "The server stops, and begins nothing new. What it has begun goes on when it is started again: send the request again then.",
  headers: { "retry-after": "5" },
}

/** [N7] A server that stops begins nothing: requests under way end, and a proxy sends new ones later. */
export const beginNothing =
  (services: InstanceServices): MiddlewareHandler<CallEnv> =>
  async (c, next) =>
    HEALTH.has(c.req.path) || !(await services.isStopping()) ? next() : refuse(c, STOPPING)

/** [N7] On a disk that is nearly full, only reads, deletions and cancels are allowed, which use the remaining room. */
export const keepRoom =
  (services: InstanceServices): MiddlewareHandler<CallEnv> =>
  async (c, next) => {
    const goesOn = ALLOWED_WHEN_FULL.has(c.req.method) || c.req.path.endsWith("/cancel") || !(await services.isNearlyFull())
    return goesOn ? next() : refuse(c, FULL)
  }

/** `hasRoom`: whether a write to the disk succeeds. */
export async function conditionOf(error: Error, hasRoom: () => Promise<boolean>): Promise<Refusal | undefined> {
  if (isDiskFull(error)) return FULL
  if (isDiskFaulty(error)) return { ...FULL, detail: FAULTY }
  if (PLATFORM.test(error.message) && !(await hasRoom())) return FULL
  // RPC keeps the name of an error, not its class.
  if (error.name === "VaultChangedError")
    return {
      code: "vault_changed",
      detail: `${capital(error.message)}. If the VAULT_KEY of the instance was changed, the old one opens everything again.`,
    }
  if (error.name === "NotBegunError")
    return { code: "not_begun", detail: `${capital(error.message)}. Send the request again in a moment.`, headers: { "retry-after": "2" } }
  if (error.name === "OtherFormatError") return { code: "other_format", detail: `${capital(error.message)}.` }
  return undefined
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
