// Serves push configurations of a task [P17]: receivers of its INPUT_REQUIRED and its end. The tenant's object stores them and sends the updates.

import { isObject, type JsonObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { MOST_PUSHES, type PushConfig, type PushRow } from "../../ports/tenant/callbacks.ts"
import { badField, badFields, faultOfRefusal, TASK_NOT_FOUND, type A2aFault } from "./fault.ts"
import type { Call } from "../../http/middleware/call.ts"
import type { Refusal } from "../../http/middleware/problem.ts"
import { callbackFaults } from "../../http/runs/callback-faults.ts"
import { findTask, isName, may } from "./agent.ts"

export type { PushConfig }

const MAX_ID = 128 // limit: characters of the id of a push configuration → 400
const MAX_TOKEN = 1_024 // limit: characters of its token → 400
const MAX_SCHEME = 64 // limit: characters of its scheme → 400
const MAX_CREDENTIALS = 4_096 // limit: characters of its credentials → 400
/** What may stand in a header. */
const HEADER = /^[\x20-\x7e]+$/

type Params = Readonly<Record<string, unknown>>

/** Checks a push configuration; undefined: there is none. */
export async function judgedPush(c: Call, given: unknown): Promise<Result<PushConfig | undefined, A2aFault>> {
  if (given === undefined) return ok(undefined)
  if (!isObject(given)) return err(badField("taskPushNotificationConfig", "must be an object with a url"))
  const { id, url, token, authentication } = given
  const about = isObject(authentication) ? authentication : {}
  const words = [
    ["id", id, MAX_ID],
    ["token", token, MAX_TOKEN],
    ["authentication.scheme", about["scheme"], MAX_SCHEME],
    ["authentication.credentials", about["credentials"], MAX_CREDENTIALS],
  ] as const
  const faults: { field: string; description: string }[] = words.flatMap(([field, value, most]) =>
    isAbsent(value) || (typeof value === "string" && value.length <= most && HEADER.test(value))
      ? []
      : [{ field, description: `must have at most ${most} printable ASCII characters` }],
  )
  if (!isAbsent(authentication) && !isObject(authentication))
    faults.push({ field: "authentication", description: "must be an object with a scheme" })
  else if (isObject(authentication) && isAbsent(about["scheme"]))
    faults.push({ field: "authentication.scheme", description: "must be given" })
  if (typeof id === "string" && id !== "" && !/^[\w.~-]+$/.test(id))
    faults.push({ field: "id", description: "must consist of letters, digits, and - _ . ~" })
  if (typeof url !== "string") faults.push({ field: "url", description: "must be an address" })
  else for (const { message } of await callbackFaults(c, { url })) faults.push({ field: "url", description: message })
  if (faults.length > 0) return err(badFields(faults))
  return ok({
    id: isAbsent(id) ? crypto.randomUUID() : String(id),
    url: String(url),
    ...(isAbsent(token) ? {} : { token: String(token) }),
    ...(isAbsent(about["scheme"]) ? {} : { scheme: String(about["scheme"]) }),
    ...(isAbsent(about["credentials"]) ? {} : { credentials: String(about["credentials"]) }),
  })
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

export async function keepPush(c: Call, run: string, config: PushConfig): Promise<Refusal | undefined> {
  const kept = await c.get("tenant").callbacks.addPush(run, config)
  if (kept !== "full") return undefined
  return {
    code: "invalid",
    detail: `A task has at most ${MOST_PUSHES} push configurations; delete one of them.`,
    errors: [{ pointer: "", message: `a task has at most ${MOST_PUSHES} push configurations` }],
  }
}

/** Without what proves the sender. */
const shown = (run: string, { id, url, scheme }: PushRow): JsonObject => ({
  id,
  taskId: run,
  url,
  ...(scheme === undefined ? {} : { authentication: { scheme } }),
})

export async function createPush(c: Call, flow: string, task: unknown, given: unknown): Promise<Result<JsonObject, A2aFault>> {
  const lacking = may(c, "runs:write")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, task, "taskId")
  if (!found.ok) return found
  const config = await judgedPush(c, given ?? {})
  if (!config.ok) return config
  if (!config.value) return err(badField("url", "must be an address"))
  const run = found.value.view.id
  const unkept = await keepPush(c, run, config.value)
  return unkept ? err(faultOfRefusal(unkept)) : ok(shown(run, config.value))
}

export async function listPush(c: Call, flow: string, task: unknown): Promise<Result<JsonObject, A2aFault>> {
  const lacking = may(c, "runs:read")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, task, "taskId")
  if (!found.ok) return found
  const run = found.value.view.id
  return ok({ configs: (await c.get("tenant").callbacks.pushes(run)).map((row) => shown(run, row)), nextPageToken: "" })
}

const NO_CONFIG = badField("id", "must be the id of a push configuration")

export async function getPush(c: Call, flow: string, { taskId, id }: Params): Promise<Result<JsonObject, A2aFault>> {
  const lacking = may(c, "runs:read")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, taskId, "taskId")
  if (!found.ok) return found
  if (!isName(id)) return err(NO_CONFIG)
  const row = (await c.get("tenant").callbacks.pushes(found.value.view.id)).find((one) => one.id === id)
  return row ? ok(shown(found.value.view.id, row)) : err({ ...TASK_NOT_FOUND, message: "The task has no push configuration of this id." })
}

export async function deletePush(c: Call, flow: string, { taskId, id }: Params): Promise<Result<JsonObject, A2aFault>> {
  const lacking = may(c, "runs:write")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, taskId, "taskId")
  if (!found.ok) return found
  if (!isName(id)) return err(NO_CONFIG)
  await c.get("tenant").callbacks.removePush(found.value.view.id, id)
  return ok({})
}
