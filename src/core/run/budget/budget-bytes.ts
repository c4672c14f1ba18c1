// Bounds the tokens in a session's next request [B1]: in any tokenizer a token is at least one byte of UTF-8, so the request's bytes are an
// upper bound. Cheap: the fold adds up the conversation's bytes, and the fixed part is computed once per session [J8].

import type { JsonSchema } from "../../json.ts"
import { utf8Length } from "../../text/utf8.ts"
import { attachedBytes } from "../session/files/attachment.ts"
import { toldIn } from "../session/told.ts"
import { personSaid, systemPrompt } from "../session/conversation.ts"
import type { RunEvent } from "../event.ts"
import { finishNameOf, schemaFor } from "../session/finish.ts"
import { choiceOf } from "../../flow/flow.ts"
import { stepState, type Run, type Session } from "../state.ts"

/** Tokens that a provider adds to a message, a tool and a whole request: roles, separators, its own text about tools. */
const PER_MESSAGE = 32
const PER_TOOL = 64
const PER_REQUEST = 1024
/** An image is billed by its size in pixels, which its bytes do not limit. */
const PER_IMAGE = 8192
/** The text that conversation.ts uses in place of a result: at most this long, plus the tool's name. */
const UNCERTAIN = 256

/** The bytes that an event adds to its session's conversation. */
export function eventBytes(e: RunEvent): number {
  switch (e.type) {
    case "model.replied":
      return (
        PER_MESSAGE +
        utf8Length(e.text) +
        (e.state?.bytes ?? 0) +
        e.toolCalls.reduce((n, c) => n + PER_MESSAGE + utf8Length(c.id + c.name) + utf8Length(JSON.stringify(c.args)), 0)
      )
    case "tool.returned":
      return (
        PER_MESSAGE +
        utf8Length(e.callId + e.tool + personSaid(e.person)) +
        e.content.reduce((n, part) => n + (part.type === "text" ? utf8Length(part.text) : PER_IMAGE + part.data.length), 0) +
        attachedBytes(e.attached)
      )
    case "tool.refused":
      return PER_MESSAGE + utf8Length(e.callId + e.tool + e.reason)
    case "tool.uncertain":
      return PER_MESSAGE + UNCERTAIN + 3 * utf8Length(e.tool) + utf8Length(e.callId + personSaid(e.person))
    case "finish.rejected":
      return PER_MESSAGE + UNCERTAIN + utf8Length(e.callId) + e.errors.reduce((n, x) => n + 16 + utf8Length(x.path + x.message), 0)
    case "reminder.sent":
    case "steer.queued":
      return PER_MESSAGE + utf8Length(e.message)
    case "context.read":
      return attachedBytes(e.attached) + (e.unseen ?? []).reduce((n, file) => n + PER_MESSAGE + utf8Length(file.path + file.why), 0)
    case "session.opened":
    case "context.compacted":
      return e.bytes
    default:
      return 0
  }
}

/** Upper bound of the tokens in this step's next model call. */
export function requestBytes(run: Run, id: string): number {
  const session = stepState(run, id).session
  return session ? PER_REQUEST + fixedBytes(run, id, session) + session.bytes : 0
}

interface Measured {
  readonly plan: Run["plan"]
  readonly tools: readonly string[]
  readonly context: string | undefined
  readonly bytes: number
}

/** A replay folds on under a fork's plan with the session that the source opened, so a measure holds for its plan only [K18]. */
const cached = new WeakMap<Session, Measured>()

/** The system prompt, the task and the tools: the same in every turn, except that `read_output` may be added. Context files come
 *  before the first turn. */
function fixedBytes(run: Run, id: string, session: Session): number {
  const { tools } = stepState(run, id)
  const before = cached.get(session)
  if (before?.plan === run.plan && before.tools === tools && before.context === session.context) return before.bytes
  const step = run.plan.steps.get(id)
  const agent = run.plan.agents[session.agent]
  if (!step || !agent) return 0
  const ending = finishNameOf(agent)
  let bytes =
    PER_MESSAGE + utf8Length(toldIn({ task: session.task, ...session.told })) + utf8Length(systemPrompt(run.plan, session, choiceOf(step)))
  for (const name of tools) {
    const tool = run.plan.tools.get(name)
    const schema = name === ending ? schemaFor(agent, step) : tool?.parameters
    bytes += PER_TOOL + utf8Length(name) + (tool ? bytesOf(tool.description, tool) : 0) + (schema ? bytesOf(schema, schema) : 2)
  }
  cached.set(session, { plan: run.plan, tools, context: session.context, bytes })
  return bytes
}

const cachedBytes = new WeakMap<object, number>()

/** Parts of a plan are the same for all its sessions: a run that wakes with 200 sessions measures them once. */
function bytesOf(part: string | JsonSchema, owner: object): number {
  const before = cachedBytes.get(owner)
  if (before !== undefined) return before
  const bytes = utf8Length(typeof part === "string" ? part : JSON.stringify(part))
  cachedBytes.set(owner, bytes)
  return bytes
}
