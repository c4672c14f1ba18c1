// Reads the body of the AI SDK's chat transport [P2, P3, P22, P23]: the last user message and the messages before it, and people's answers
// in the last assistant message. Members without a use for a flow are ignored.

import { defined } from "../../core/defined.ts"
import { isObject, type Json } from "../../core/json.ts"
import type { Said } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Fault } from "../../http/middleware/problem.ts"
import { attach, type Attached, type Attachment } from "../shared/attachments.ts"
import type { Heard } from "../shared/client-history.ts"

export interface UiBody {
  readonly chat: string | undefined
  readonly text: string
  /** The id of the user's message. */
  readonly messageId: string | undefined
  readonly attached: Attached
  readonly before: readonly Heard[]
  readonly isRegenerated: boolean
  readonly answered?: UiAnswers
  readonly sluice: Readonly<Record<string, unknown>>
}

/** The assistant message that the request continues. */
export interface UiAnswers {
  readonly message: string | undefined
  /** Where the page stands: the `seq` of its metadata. */
  readonly seq: number | undefined
  readonly answers: readonly UiAnswer[]
}

export type UiAnswer = { readonly id: string; readonly pointer: string } & (
  | { readonly approved: boolean; readonly reason: string | undefined }
  | { readonly output: Json }
)

const ROLES: ReadonlySet<unknown> = new Set<Said["role"]>(["user", "assistant", "system"])

type Loose = Readonly<Record<string, unknown>>

export function readUi(body: unknown): Result<UiBody, Fault[]> {
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object with `id` and `messages`" }])
  const { id: chat, messages, message, trigger, sluice = {} } = body as Loose
  if (chat !== undefined && typeof chat !== "string") return err([{ pointer: "/id", message: "must be the chat's id" }])
  if (!isObject(sluice)) return err([{ pointer: "/sluice", message: "must be an object" }])
  const isAlone = !Array.isArray(messages)
  const list = (isAlone ? [message] : (messages as unknown[])).map((one): Loose => (isObject(one) ? one : {}))
  const at = (i: number): string => (isAlone ? "/message" : `/messages/${i}`)
  const isRegenerated = trigger === "regenerate-message"
  const answered = isRegenerated ? undefined : answeredIn(list.at(-1), at(list.length - 1))
  const undecided = isRegenerated ? undefined : undecidedIn(list.at(-1), at(list.length - 1))
  if (undecided) return err([undecided])
  const last = list.findLastIndex(({ role }) => role === "user")
  const user = list[last]
  if (!user && !answered) return err([{ pointer: isAlone ? "/message" : "/messages", message: "must have a message of the user" }])
  const parts = partsOf(user)
  const attached = attach(answered ? [] : attachmentsOf(parts, `${at(last)}/parts`))
  if (!attached.ok) return attached
  const text = textOf(user)
  if (!answered && text.trim() === "" && attached.value.lines.length === 0)
    return err([{ pointer: `${at(last)}/parts`, message: "the last message of the user has no text" }])
  const before = list.slice(0, Math.max(0, last)).flatMap((one): Heard[] => {
    const pieces = textsOf(one)
    const said = pieces.join("")
    return ROLES.has(one["role"]) && said.trim() !== ""
      ? [{ role: one["role"] as Said["role"], text: said, ...(pieces.length > 1 ? { pieces } : {}) }]
      : []
  })
  const messageId = user?.["id"]
  return ok({
    chat,
    text,
    messageId: typeof messageId === "string" && messageId !== "" ? messageId : undefined,
    attached: attached.value,
    before,
    isRegenerated,
    ...defined({ answered }),
    sluice,
  })
}

const partsOf = (message: Loose | undefined): Loose[] =>
  Array.isArray(message?.["parts"]) ? (message["parts"] as unknown[]).map((part): Loose => (isObject(part) ? part : {})) : []

/** `content` is how older clients say it. */
function textsOf(message: Loose | undefined): string[] {
  const { content } = message ?? {}
  if (!Array.isArray(message?.["parts"])) return typeof content === "string" ? [content] : []
  return partsOf(message).flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
}

const textOf = (message: Loose | undefined): string => textsOf(message).join("")

const attachmentsOf = (parts: readonly Loose[], pointer: string): Attachment[] =>
  parts.flatMap(({ type, url, filename, mediaType }, i) => {
    if (type !== "file") return []
    return [
      {
        name: typeof filename === "string" ? filename : undefined,
        type: typeof mediaType === "string" ? mediaType : undefined,
        content: { url: typeof url === "string" ? url : "" },
        pointer: `${pointer}/${i}`,
      },
    ]
  })

function answeredIn(message: Loose | undefined, pointer: string): UiAnswers | undefined {
  if (message?.["role"] !== "assistant") return undefined
  const answers = partsOf(message).flatMap((part, i) => answerIn(part, `${pointer}/parts/${i}`))
  if (answers.length === 0) return undefined
  const { id, metadata } = message
  const seq = isObject(metadata) ? metadata["seq"] : undefined
  return {
    message: typeof id === "string" ? id : undefined,
    seq: typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0 ? seq : undefined,
    answers,
  }
}

/** What should decide and does not say how must not be taken for the user's message before it. */
function undecidedIn(message: Loose | undefined, pointer: string): Fault | undefined {
  if (message?.["role"] !== "assistant") return undefined
  const i = partsOf(message).findIndex(
    ({ state, approval }) => state === "approval-responded" && (!isObject(approval) || typeof approval["approved"] !== "boolean"),
  )
  return i < 0 ? undefined : { pointer: `${pointer}/parts/${i}/approval/approved`, message: "must be true or false" }
}

function answerIn({ state, approval, toolCallId, output, providerExecuted }: Loose, pointer: string): UiAnswer[] {
  if (isObject(approval) && state === "approval-responded") {
    const { id, approved, reason } = approval as Loose
    if (typeof id !== "string" || typeof approved !== "boolean") return []
    return [{ id, approved, reason: typeof reason === "string" ? reason : undefined, pointer: `${pointer}/approval` }]
  }
  if (state !== "output-available" || providerExecuted === true || typeof toolCallId !== "string") return []
  return [{ id: toolCallId, output: (output ?? null) as Json, pointer: `${pointer}/output` }]
}
