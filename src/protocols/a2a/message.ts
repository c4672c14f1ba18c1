// Reads an A2A message [P2, P3, P14, P15]: its text, files, and inputs or answers. Unknown members are ignored [P10]; an empty string
// counts as absent, as in protobuf.

import { defined } from "../../core/defined.ts"
import { isObject, type Json } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { Thread } from "../../core/run/thread.ts"
import { attach, type Attached, type Attachment } from "../shared/attachments.ts"
import { badField, badFields, faultOfRefusal, type A2aFault } from "./fault.ts"
import { invalid } from "../../http/middleware/problem.ts"

const MAX_MESSAGE_ID = 256 // limit: characters of the id of a message of A2A → 400

export interface A2aMessage {
  readonly id: string
  readonly task?: string
  readonly context?: string
  readonly text: string
  readonly attached: Attached
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly sluice: Readonly<Record<string, unknown>>
}

export interface Sending {
  readonly message: A2aMessage
  readonly isImmediate: boolean
  readonly historyLength?: number
  readonly push?: unknown
}

const KINDS = ["text", "raw", "url", "data"] as const
const given = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

export function readSending(body: unknown): Result<Sending, A2aFault> {
  const { message: said, configuration = {} } = isObject(body) ? body : {}
  const settings = configuration ?? {}
  if (!isObject(settings)) return err(badField("configuration", "must be an object"))
  const message = readMessage(said)
  if (!message.ok) return message
  const { returnImmediately = false, historyLength, taskPushNotificationConfig: push } = settings
  if (typeof returnImmediately !== "boolean") return err(badField("configuration.returnImmediately", "must be true or false"))
  const length = readLength(historyLength, "configuration.historyLength")
  if (!length.ok) return length
  return ok({
    message: message.value,
    isImmediate: returnImmediately,
    ...defined({ historyLength: length.value }),
    ...(push === undefined || push === null ? {} : { push }),
  })
}

export function readLength(value: unknown, field: string): Result<number | undefined, A2aFault> {
  if (value === undefined || value === null) return ok(undefined)
  const n = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof n === "number" && Number.isInteger(n) && n >= 0
    ? ok(n)
    : err(badField(field, "must be a whole number that is not negative"))
}

function readMessage(said: unknown): Result<A2aMessage, A2aFault> {
  if (!isObject(said)) return err(badField("message", "must be an object with messageId, role and parts"))
  const { messageId, role, parts, contextId, taskId, metadata } = said
  const faults: { field: string; description: string }[] = []
  const wrong = (field: string, description: string): void => void faults.push({ field: `message.${field}`, description })
  if (typeof messageId !== "string" || messageId === "" || messageId.length > MAX_MESSAGE_ID)
    wrong("messageId", `must have 1 to ${MAX_MESSAGE_ID} characters`)
  if (role !== "ROLE_USER") wrong("role", "must be ROLE_USER")
  if (!Array.isArray(parts) || parts.length === 0) wrong("parts", "must be a list with at least one part")
  if (given(contextId) && !Thread.safeParse(contextId).success) wrong("contextId", "must have 1 to 256 printable ASCII characters")
  if (given(taskId) && typeof taskId !== "string") wrong("taskId", "must be the id of a task")
  const sluice = isObject(metadata) ? (metadata["sluice"] ?? {}) : {}
  if (!isObject(sluice)) wrong("metadata.sluice", "must be an object with members of a start's body")
  if (faults.length > 0 || !Array.isArray(parts) || !isObject(sluice)) return err(badFields(faults))
  const read = readParts(parts)
  if (!read.ok) return read
  const attached = attach(read.value.attachments)
  if (!attached.ok) return err(faultOfRefusal(invalid(attached.error)))
  return ok({
    id: String(messageId),
    ...(typeof taskId === "string" && taskId !== "" ? { task: taskId } : {}),
    ...(typeof contextId === "string" && contextId !== "" ? { context: contextId } : {}),
    text: read.value.text,
    attached: attached.value,
    data: read.value.data,
    sluice,
  })
}

interface Parts {
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly data: readonly Readonly<Record<string, Json>>[]
}

function readParts(parts: readonly unknown[]): Result<Parts, A2aFault> {
  const texts: string[] = []
  const attachments: Attachment[] = []
  const data: Readonly<Record<string, Json>>[] = []
  for (const [i, part] of parts.entries()) {
    const field = `message.parts[${i}]`
    const kinds = isObject(part) ? KINDS.filter((kind) => part[kind] !== undefined && part[kind] !== null) : []
    const [kind] = kinds
    if (!isObject(part) || kind === undefined || kinds.length > 1)
      return err(badField(field, `must have exactly one of ${KINDS.join(", ")}`))
    const value = part[kind]
    const name = typeof part["filename"] === "string" ? part["filename"] : undefined
    const type = typeof part["mediaType"] === "string" ? part["mediaType"] : undefined
    if (kind === "data") {
      if (!isObject(value)) return err(badField(`${field}.data`, "must be an object: its members are inputs, or an answer"))
      data.push(value as Readonly<Record<string, Json>>)
    } else if (typeof value !== "string") return err(badField(`${field}.${kind}`, "must be a string"))
    else if (kind === "text") texts.push(value)
    else attachments.push({ name, type, content: kind === "raw" ? { base64: value } : { url: value }, pointer: `/message/parts/${i}` })
  }
  return ok({ text: texts.filter((text) => text !== "").join("\n"), attachments, data })
}
