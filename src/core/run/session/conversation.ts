// Builds the next request to a step's model [J21]: the system prompt in layers, and the session's journal entries as messages.
//
// Deterministic: the same run and entries give the same bytes, so that a turn repeated after a crash sends the same request.

import { defined } from "../../defined.ts"
import type { Agent } from "../../flow/agent.ts"
import type { FinishChoice } from "../../flow/flow.ts"
import type { Skill } from "../../flow/skill.ts"
import { isObject } from "../../json.ts"
import type { Attachment, ContentPart, ToolCall } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import { UniqueIds } from "./calls.ts"
import type { Plan } from "../plan.ts"
import type { Session } from "../state.ts"
import { toldIn } from "./told.ts"
import { LOOKALIKE } from "./fence.ts"
import { leftOut, notShown, refusedFile } from "./files/attachment.ts"
import { searchLayer } from "./tool-search.ts"

/** [J20] Where the sealed state of a reply is: in this row of the run's journal, or inline. Only `model` may receive it. */
export type KeptState = { readonly model: string } & ({ readonly row: string } | { readonly sealed: string })

/** A tool's result. */
export interface ToolTurn {
  readonly role: "tool"
  readonly callId: string
  readonly tool: string
  readonly content: readonly ContentPart[]
  readonly isError: boolean
}

export type Turn =
  | { readonly role: "user"; readonly text: string; readonly attached?: readonly Attachment[] }
  | {
      readonly role: "assistant"
      readonly text: string
      readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
      readonly state?: KeptState
    }
  /** [F56] `attached`: files that the result shows. */
  | (ToolTurn & { readonly attached?: readonly Attachment[] })

/** A part of the system prompt. `name`: the name of the skill or agent. */
export interface PromptLayer {
  readonly kind: "context" | "skill" | "agent" | "search" | "rules"
  readonly name?: string
  readonly text: string
}

/** The layers in this order: context files and fork preamble, skills, the agent's expanded body, tool rules. */
export function promptLayers(plan: Plan, session: Session, choice: FinishChoice | undefined): PromptLayer[] {
  const agent = plan.agents[session.agent]
  const layers: PromptLayer[] = []
  const context = [session.context ?? "", session.preamble ?? ""].filter((part) => part !== "").join("\n\n---\n\n")
  if (context !== "" || session.preamble !== undefined) layers.push({ kind: "context", text: `# Context\n\n${context}` })
  for (const name of agent?.skills ?? []) {
    const skill = plan.skills[name]
    if (skill) layers.push({ kind: "skill", name, text: skillLayer(skill) })
  }
  layers.push({ kind: "agent", name: session.agent, text: session.body.trim() })
  layers.push({ kind: "search", text: searchLayer(session) })
  layers.push({ kind: "rules", text: toolRules(agent, choice) })
  return layers.filter(({ text }) => text !== "")
}

export const systemPrompt = (plan: Plan, session: Session, choice: FinishChoice | undefined): string =>
  promptLayers(plan, session, choice)
    .map(({ text }) => text)
    .join("\n\n---\n\n")

const skillLayer = (s: Skill): string =>
  `# Skill: ${s.name}\n\n${s.text.trim()}\n\nRead its other files with skill_read {"skill": ${JSON.stringify(s.name)}, "file": "…"}.`

function toolRules(agent: Agent | undefined, choice: FinishChoice | undefined): string {
  const branch = choice
    ? ` Set \`branch\` to ${choice.several ? "a list of one or more" : "exactly one"} of: ${choice.labels.join(", ")}.`
    : ""
  if (agent?.finalizer === "subagent_finalize")
    return `# How to end\n\nCall the tool \`subagent_finalize\` as your last action; nothing runs after it and text alone does not end your task.${branch} Use status \`SUCCESS\` with your whole answer in \`result\`, or \`ERROR\` with what went wrong in \`error\` and, if there is something, what you found so far in \`result\`.`
  return `# How to end\n\nCall the tool \`finish\` as your last action; nothing runs after it and text alone does not end your task.${branch} Use status \`error\` when the task cannot be done and \`blocked\` when something outside you is missing, and say in \`summary\` what.`
}

/** How much of an older tool result stays when the conversation is shortened and the tool gave no glimpse. */
const GLIMPSE_CHARS = 240 // limit: characters kept of an older result in a shortened conversation → the rest is in the journal only
/** The delimiter that fence.ts writes. */
const OUTSIDE = /^<untrusted id="([0-9a-f]+)" source="[^"]*">\n/

/** [F56] Removes the shown files from an older tool result; returns any other event unchanged. */
export function unpictured(e: RunEvent): RunEvent {
  if (e.type !== "tool.returned" || e.attached === undefined) return e
  const { attached, ...rest } = e
  return { ...rest, content: [...e.content, ...attached.map((file) => ({ type: "text" as const, text: leftOut(file) }))] }
}

/** [F56] A result without anything to look at, for a provider that refuses it. */
function unshown(e: RunEvent): RunEvent {
  if (e.type !== "tool.returned") return e
  const { attached = [], content, ...rest } = e
  if (attached.length === 0 && content.every(({ type }) => type === "text")) return e
  const said = content.map((part): ContentPart => (part.type === "text" ? part : { type: "text", text: REFUSED_IMAGE }))
  return { ...rest, content: [...said, ...attached.map((file) => ({ type: "text" as const, text: refusedFile(file) }))] }
}
const REFUSED_IMAGE = "[an image is not shown: the provider of the model refuses it]"

/** [J23, C6] Replaces an older tool result with its glimpse; returns any other event unchanged. */
export const glimpsed = (e: RunEvent): RunEvent => unpictured(shortResult(e))

function shortResult(e: RunEvent): RunEvent {
  if (e.type !== "tool.returned") return e
  const whole = e.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
  const own = isObject(e.details) ? e.details["glimpse"] : undefined
  if (own === undefined && whole.length <= GLIMPSE_CHARS) return e
  const outside = OUTSIDE.exec(whole)
  const text =
    own === undefined ? whole.slice(outside?.[0].length ?? 0).slice(0, GLIMPSE_CHARS) : typeof own === "string" ? own : JSON.stringify(own)
  // Text from outside keeps both delimiters [G11].
  const glimpse = outside ? `${outside[0]}${text.replace(LOOKALIKE, "&lt;")}\n</untrusted id="${outside[1] ?? ""}">` : text
  const handle = e.truncated === undefined ? "" : `; the whole output: read_output {"handle": "${e.truncated.handle}"}`
  return { ...e, content: [{ type: "text", text: `${glimpse}\n[older result, shortened: it had ${whole.length} characters${handle}]` }] }
}

const recap = (summary: string): Turn => ({
  role: "user",
  text: `(The conversation so far was too long and is told in a summary. It is a record of what was done, not a new order.)\n\n${summary}`,
})

type Shortened = Pick<Session, "glimpsedTo" | "unpicturedTo" | "blind">

/** An entry as it appears in the shortened conversation. */
export function asShown(entry: RunEvent, { glimpsedTo = 0, unpicturedTo = 0, blind }: Shortened): RunEvent {
  const e = blind ? unshown(entry) : entry
  return e.seq <= glimpsedTo ? glimpsed(e) : e.seq <= unpicturedTo ? unpictured(e) : e
}

/** The task as the model reads it, with the files that came with it [F56]. */
function taskTurn({ task: plain, told, attached, unpicturedTo = 0, blind }: Opened): Turn {
  const task = toldIn({ task: plain, ...told })
  if (attached === undefined) return { role: "user", text: task }
  const isShown = attached.seq > unpicturedTo && !blind
  const sentences = [...(isShown ? [] : attached.files.map(blind ? refusedFile : leftOut)), ...attached.unseen.map(notShown)]
  const shown = isShown && attached.files.length > 0 ? { attached: attached.files } : {}
  return { role: "user", text: [task, ...sentences].join("\n\n"), ...shown }
}

type Opened = Pick<Session, "task" | "told" | "attached" | "unpicturedTo" | "blind">

/** `entries` are the journal's events of `session.seqs`, in order. */
export function messages(session: Pick<Session, "task" | "told" | "summary" | "attached"> & Shortened, all: readonly RunEvent[]): Turn[] {
  const entries = all.map((e) => asShown(e, session))
  const ids = new UniqueIds()
  const turns: Turn[] = [taskTurn(session), ...(session.summary === undefined ? [] : [recap(session.summary)])]
  let calls: readonly (ToolCall & { readonly shown: string })[] = []
  let answers = new Map<string, ToolTurn>()
  const flush = (): void => {
    for (const c of calls) {
      const answer = answers.get(c.id)
      if (answer) turns.push({ ...answer, callId: c.shown })
    }
    calls = []
    answers = new Map()
  }
  for (const e of entries) {
    switch (e.type) {
      case "model.replied":
        flush()
        // Providers refuse a conversation with a repeated id, and some models repeat theirs in each turn.
        calls = e.toolCalls.map((c) => ({ ...c, shown: ids.of(c.id) }))
        turns.push({
          role: "assistant",
          text: e.text === "" && calls.length === 0 ? "(no text)" : e.text,
          toolCalls: calls.map((c) => ({ id: c.shown, name: c.name, args: JSON.stringify(c.args) })),
          ...defined({ state: e.state && { model: e.state.model, row: e.key } }),
        })
        break
      case "tool.returned":
        answers.set(e.callId, {
          role: "tool",
          callId: e.callId,
          tool: e.tool,
          content: toldWith(e),
          isError: e.isError,
          ...defined({ attached: e.attached }),
        })
        break
      case "tool.refused":
        answers.set(e.callId, errorTurn(e.callId, e.tool, e.reason))
        break
      case "tool.uncertain":
        answers.set(
          e.callId,
          errorTurn(
            e.callId,
            e.tool,
            `${personSaid(e.person)}The outcome of this ${e.tool} call is unknown: it was begun and its answer was lost. It was not sent again. Check before you repeat it.`,
          ),
        )
        break
      case "finish.rejected": {
        const ending = calls.find((c) => c.id === e.callId)?.name ?? "finish"
        const faults = e.errors.map((x) => `${x.path || "arguments"}: ${x.message}`).join("; ")
        answers.set(e.callId, errorTurn(e.callId, ending, `${ending} was not accepted. ${faults}. Correct it and call ${ending} again.`))
        break
      }
      case "reminder.sent":
      case "steer.queued":
        flush()
        turns.push({ role: "user", text: e.message })
        break
      default:
        break
    }
  }
  flush()
  return turns
}

/** [Q3] A result as the agent reads it: the words of the person who approved the call come first. */
export const toldWith = ({ content, person }: Pick<EventOf<"tool.returned">, "content" | "person">): readonly ContentPart[] =>
  person ? [{ type: "text", text: personSaid(person).trimEnd() }, ...content] : content

export function personSaid(person: EventOf<"tool.returned">["person"]): string {
  const { args, feedback } = person ?? {}
  const edited = args === undefined ? "" : `A person changed the arguments before this call ran. It ran with: ${JSON.stringify(args)}\n`
  return `${edited}${feedback === undefined ? "" : `The person who approved this call said: ${feedback}\n`}`
}

const errorTurn = (callId: string, tool: string, text: string): ToolTurn => ({
  role: "tool",
  callId,
  tool,
  content: [{ type: "text", text }],
  isError: true,
})
