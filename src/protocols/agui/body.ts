// Reads the body of an AG-UI request, RunAgentInput [P2, P3, P20]. Client tools, state and unknown members are ignored.

import { defined } from "../../core/defined.ts"
import { isObject, type Json } from "../../core/json.ts"
import type { Resume } from "./interrupt.ts"
import type { Said } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { Thread } from "../../core/run/thread.ts"
import { attach, NOTHING_ATTACHED, type Attached, type Attachment } from "../shared/attachments.ts"
import type { Fault } from "../../http/middleware/problem.ts"

export interface AguiBody {
  readonly thread: string
  /** The client's id of this AG-UI run. */
  readonly run: string
  readonly text: string
  readonly attached: Attached
  readonly before: readonly Said[]
  /** Why the messages start no run. A thread that waits for answers says that first [P20]. */
  readonly unsaid?: readonly Fault[]
  /** Absent: the client resumes nothing. */
  readonly resume?: readonly Resume[]
  readonly sluice: Readonly<Record<string, unknown>>
}

const MAX_RUN_ID = 256 // limit: characters of an AG-UI run's id → 422
/** Entries of `resume`: a run has fewer open questions. */
const MAX_RESUMES = 100 // limit: answers of an AG-UI `resume` → 422
const ROLES: Readonly<Record<string, Said["role"]>> = { user: "user", assistant: "assistant", system: "system", developer: "system" }
const MEDIA: ReadonlySet<unknown> = new Set(["image", "audio", "video", "document"])

export function readAgui(body: unknown): Result<AguiBody, Fault[]> {
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object with `threadId`, `runId` and `messages`" }])
  const { threadId, runId, messages, context, forwardedProps: forwarded, resume } = body
  const thread = Thread.safeParse(threadId)
  const faults: Fault[] = []
  if (!thread.success) faults.push({ pointer: "/threadId", message: "must have 1 to 256 printable ASCII characters" })
  if (typeof runId !== "string" || runId === "" || runId.length > MAX_RUN_ID)
    faults.push({ pointer: "/runId", message: `must be a text of 1 to ${MAX_RUN_ID} characters` })
  if (!Array.isArray(messages)) faults.push({ pointer: "/messages", message: "must be a list of messages" })
  const sluice = isObject(forwarded) ? (forwarded["sluice"] ?? {}) : {}
  if (!isObject(sluice)) faults.push({ pointer: "/forwardedProps/sluice", message: "must be an object" })
  const resumes = readResume(resume)
  if (!resumes.ok) faults.push(...resumes.error)
  if (!thread.success || typeof runId !== "string" || !Array.isArray(messages) || !isObject(sluice) || !resumes.ok || faults.length > 0)
    return err(faults)
  const said = readMessages(messages, (resumes.value?.length ?? 0) > 0)
  return ok({
    thread: thread.data,
    run: runId,
    ...(said.ok
      ? { ...said.value, before: [...said.value.before, ...contextOf(context)] }
      : { text: "", attached: NOTHING_ATTACHED, before: [], unsaid: said.error }),
    ...defined({ resume: resumes.value }),
    sluice,
  })
}

function readResume(resume: unknown): Result<Resume[] | undefined, Fault[]> {
  if (resume === undefined || resume === null) return ok(undefined)
  if (!Array.isArray(resume) || resume.length > MAX_RESUMES)
    return err([{ pointer: "/resume", message: `must be a list of at most ${MAX_RESUMES} answers` }])
  const read: Resume[] = []
  const faults: Fault[] = []
  for (const [i, one] of (resume as unknown[]).entries()) {
    const { interruptId, status, payload } = isObject(one) ? one : {}
    if (typeof interruptId !== "string") faults.push({ pointer: `/resume/${i}/interruptId`, message: "must be the id of an interrupt" })
    else if (status !== "resolved" && status !== "cancelled")
      faults.push({ pointer: `/resume/${i}/status`, message: 'must be "resolved" or "cancelled"' })
    else read.push({ interruptId, status, payload: payload as Json | undefined })
  }
  return faults.length > 0 ? err(faults) : ok(read)
}

function readMessages(
  messages: readonly unknown[],
  isResume: boolean,
): Result<{ readonly text: string; readonly attached: Attached; readonly before: readonly Said[] }, Fault[]> {
  const list = messages.map((message) => (isObject(message) ? message : {}))
  // What is resumed is decided by the answers; the messages are those of before.
  if (isResume) return ok({ text: "", attached: NOTHING_ATTACHED, before: [] })
  const last = list.findLastIndex(({ role }) => role === "user")
  if (last < 0) return err([{ pointer: "/messages", message: "must have a message of the user" }])
  const content = list[last]?.["content"]
  const attachments = attachmentsOf(content, `/messages/${last}/content`)
  if (!attachments.ok) return attachments
  const attached = attach(attachments.value)
  if (!attached.ok) return attached
  const text = textOf(content)
  if (text.trim() === "" && attached.value.lines.length === 0)
    return err([{ pointer: `/messages/${last}/content`, message: "the last message of the user has no text" }])
  const before = list.slice(0, last).flatMap((message): Said[] => {
    const name = String(message["role"])
    const role = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined
    const said = textOf(message["content"])
    return role === undefined || said.trim() === "" ? [] : [{ role, text: said }]
  })
  return ok({ text, attached: attached.value, before })
}

/** What the client's page knows: it is of now, so it stands last. */
const contextOf = (context: unknown): Said[] =>
  (Array.isArray(context) ? (context as unknown[]) : []).flatMap((one): Said[] => {
    if (!isObject(one)) return []
    const { description, value } = one
    const text = [description, typeof value === "string" || value === undefined ? value : JSON.stringify(value)]
      .filter((part) => typeof part === "string" && part.trim() !== "")
      .join(": ")
    return text === "" ? [] : [{ role: "system", text }]
  })

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? (content as unknown[]) : []
  return parts
    .flatMap((part) => (isObject(part) && part["type"] === "text" && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("")
}

function attachmentsOf(content: unknown, pointer: string): Result<Attachment[], Fault[]> {
  const attachments: Attachment[] = []
  for (const [i, part] of (Array.isArray(content) ? (content as unknown[]) : []).entries()) {
    if (!isObject(part)) continue
    const at = `${pointer}/${i}`
    const name = nameOf(part)
    if (MEDIA.has(part["type"])) {
      const { type, value, mimeType } = isObject(part["source"]) ? part["source"] : {}
      const media = typeof mimeType === "string" ? mimeType : undefined
      if (typeof value !== "string" || (type !== "data" && type !== "url"))
        return err([{ pointer: `${at}/source`, message: "must be data or an address: files of a provider cannot be read here" }])
      const isUrl = type === "url" || value.startsWith("data:")
      attachments.push({ name, type: media, content: isUrl ? { url: value } : { base64: value }, pointer: at })
    } else if (part["type"] === "binary") {
      // The form of before 1.0.
      const { data, url, mimeType } = part
      const media = typeof mimeType === "string" ? mimeType : undefined
      if (typeof data === "string") attachments.push({ name, type: media, content: { base64: data }, pointer: at })
      else if (typeof url === "string") attachments.push({ name, type: media, content: { url }, pointer: at })
      else return err([{ pointer: at, message: "must have `data` or `url`: files of a provider cannot be read here" }])
    }
  }
  return ok(attachments)
}

function nameOf(part: Readonly<Record<string, unknown>>): string | undefined {
  const metadata = isObject(part["metadata"]) ? part["metadata"] : {}
  return [part["filename"], metadata["filename"], metadata["name"]].find((name) => typeof name === "string")
}
