// How large the next request of a session can be at most, in tokens [B1]: a token of any tokeniser is at least one byte of UTF-8, so the
// bytes bound it. Cheap: the conversation's bytes are folded as it grows, what stays the same is reckoned once per session [J8].

import type { JsonSchema } from "../../json.ts"
import { utf8Length } from "../../text/utf8.ts"
import { systemPrompt } from "../session/conversation.ts"
import type { RunEvent } from "../event.ts"
import { finishNameOf, schemaFor } from "../session/finish.ts"
import { labelsOf } from "../../flow/flow.ts"
import { stepState, type Run, type Session } from "../state.ts"

/** What a provider puts around a message, a tool and a whole request: roles, separators, its own words about tools. */
const PER_MESSAGE = 32
const PER_TOOL = 64
const PER_REQUEST = 1024
/** An image is billed by its size in pixels, which its bytes do not bound. */
const PER_IMAGE = 8192
/** What conversation.ts says in place of a result: never longer than this and the tool's name. */
const UNCERTAIN = 256

/** What an event adds to its session's conversation. */
export function eventBytes(e: RunEvent): number {
  switch (e.type) {
    case "model.replied":
      return (
        PER_MESSAGE +
        utf8Length(e.text) +
        e.toolCalls.reduce((n, c) => n + PER_MESSAGE + utf8Length(c.id + c.name) + utf8Length(JSON.stringify(c.args)), 0)
      )
    case "tool.returned":
      return (
        PER_MESSAGE +
        utf8Length(e.callId + e.tool) +
        e.content.reduce((n, part) => n + (part.type === "text" ? utf8Length(part.text) : PER_IMAGE + part.data.length), 0)
      )
    case "tool.refused":
      return PER_MESSAGE + utf8Length(e.callId + e.tool + e.reason)
    case "tool.uncertain":
      return PER_MESSAGE + UNCERTAIN + 3 * utf8Length(e.tool) + utf8Length(e.callId)
    case "finish.rejected":
      return PER_MESSAGE + UNCERTAIN + utf8Length(e.callId) + e.errors.reduce((n, x) => n + 16 + utf8Length(x.path + x.message), 0)
    case "reminder.sent":
    case "steer.queued":
      return PER_MESSAGE + utf8Length(e.message)
    case "session.opened":
    case "context.compacted":
      return e.bytes
    default:
      return 0
  }
}

/** A bound of the tokens of this step's next model call. */
export function requestBytes(run: Run, id: string): number {
  const session = stepState(run, id).session
  return session ? PER_REQUEST + fixedBytes(run, id, session) + session.bytes : 0
}

const known = new WeakMap<Session, { readonly tools: readonly string[]; readonly bytes: number }>()

/** The system prompt, the task and the tools: the same in every turn, but that `read_output` may join them. */
function fixedBytes(run: Run, id: string, session: Session): number {
  const { tools } = stepState(run, id)
  const before = known.get(session)
  if (before?.tools === tools) return before.bytes
  const step = run.plan.steps.get(id)
  const agent = run.plan.agents[session.agent]
  if (!step || !agent) return 0
  const labels = labelsOf(step)
  const ending = finishNameOf(agent)
  let bytes = PER_MESSAGE + utf8Length(session.task) + utf8Length(systemPrompt(run.plan, session, labels))
  for (const name of tools) {
    const tool = run.plan.tools.get(name)
    const schema = name === ending ? schemaFor(agent, step) : tool?.parameters
    bytes += PER_TOOL + utf8Length(name) + (tool ? weightOf(tool.description, tool) : 0) + (schema ? weightOf(schema, schema) : 2)
  }
  known.set(session, { tools, bytes })
  return bytes
}

const weights = new WeakMap<object, number>()

/** What belongs to a plan is the same for all its sessions: a run that wakes with 200 of them weighs it once. */
function weightOf(said: string | JsonSchema, owner: object): number {
  const before = weights.get(owner)
  if (before !== undefined) return before
  const bytes = utf8Length(typeof said === "string" ? said : JSON.stringify(said))
  weights.set(owner, bytes)
  return bytes
}
