// Shows a model's prompt in layers, in the order in which they are sent [J21]: the tools, the system prompt, the conversation. The state is
// that at the beginning of the turn, so the layers are those of the request that was sent. A provider reports only the total tokens of a
// request, which are divided by characters.

import { priceOf, costOf } from "../../core/money/prices.ts"
import type { Usage } from "../../core/money/usage.ts"
import type { RunEvent } from "../../core/run/event.ts"
import { promptLayers, type Turn } from "../../core/run/session/conversation.ts"
import { explainTools } from "../../core/run/session/step-tools.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import { choiceOf } from "../../core/flow/flow.ts"
import type { PromptRow, PromptSeen } from "../../ports/prompt.ts"
import type { Journal } from "../../ports/journal.ts"
import { requestFor } from "./call/model-request.ts"

const MAX_TURNS_SHOWN = 200 // limit: turns of a conversation that a prompt shows → earlier ones are one row
const MAX_LAYER_CHARS = 262_144 // limit: characters of one layer that a prompt shows → the rest is cut, and `cut` says so
/** Where no provider has said how many there are. */
const CHARS_PER_TOKEN = 4

type Row = Omit<PromptRow, "tokens" | "cached" | "usd" | "characters"> & { readonly text: string }

interface Wish {
  /** As it was when the turn was begun. */
  readonly run: Run
  readonly journal: Pick<Journal, "pick">
  readonly step: string
  readonly key: string
  readonly seq: number
  readonly reply: Extract<RunEvent, { readonly type: "model.replied" }> | undefined
  /** The layer whose text is wanted. */
  readonly layer?: number | undefined
}

/** The layers of a turn's prompt; undefined: the step runs no agent. */
export function promptOf({ run, journal, step, key, seq, reply, layer }: Wish): PromptSeen | undefined {
  const state = stepState(run, step)
  const { session } = state
  const definition = run.plan.steps.get(step)
  if (!session || !definition) return undefined
  const { request, turns, ref, turn } = requestFor({ journal }, run, key, step)
  const weights = request.tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }))
  const rows: Row[] = [
    ...(weights.length === 0 ? [] : [{ kind: "tools" as const, count: weights.length, text: weights.join("\n") }]),
    ...promptLayers(run.plan, session, choiceOf(definition)).map((one): Row => ({ ...one, ...sourceOf(one.kind, one.name) })),
    ...conversationRows(turns, session.summary !== undefined),
  ]
  const chars = rows.reduce((sum, { text }) => sum + text.length, 0)
  const usage = reply?.usage
  const rate = usage === undefined || chars === 0 ? 1 / CHARS_PER_TOKEN : usage.input / chars
  const price = priceOf(run.prices, reply?.model ?? ref)
  let [before, sent] = [0, 0]
  const layers = rows.map(({ text, ...row }): PromptRow => {
    sent += text.length
    const upTo = Math.round(sent * rate)
    const tokens = upTo - before
    const cached = Math.max(0, Math.min(tokens, (usage?.cacheRead ?? 0) - before))
    before = upTo
    const usd = price === undefined || usage === undefined ? null : costOf(price, { input: tokens, output: 0, cacheRead: cached })
    return { ...row, characters: text.length, tokens, cached, usd }
  })
  const rules = new Map((explainTools(run, step) ?? []).map(({ name, rule }) => [name, rule]))
  const text = layer === undefined ? undefined : rows[layer]?.text
  return {
    step,
    pass: state.pass,
    turn,
    seq,
    model: reply?.model ?? ref,
    request: reply?.request ?? null,
    system: reply?.system ?? null,
    revision: run.pins?.revision ?? null,
    usage: usage === undefined ? null : usageOf(usage),
    usd: reply?.cost ?? null,
    layers,
    tools: request.tools.map(({ name }, i) => ({
      name,
      rule: rules.get(name) ?? "always",
      characters: weights[i]?.length ?? 0,
      tokens: Math.round((weights[i]?.length ?? 0) * rate),
    })),
    ...(text === undefined ? {} : { text: text.slice(0, MAX_LAYER_CHARS), cut: text.length > MAX_LAYER_CHARS }),
  }
}

const usageOf = ({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): NonNullable<PromptSeen["usage"]> => ({
  input,
  output,
  cached: cacheRead,
  cache_written: cacheWrite,
})

/** The file of the catalog that a layer comes from. */
function sourceOf(kind: PromptRow["kind"], name: string | undefined): { readonly source?: string } {
  if (name === undefined) return {}
  const path = name.replaceAll(":", "/")
  return kind === "agent" ? { source: `agents/${path}.md` } : kind === "skill" ? { source: `skills/${path}/SKILL.md` } : {}
}

/** A row for the task, and for each turn one for what was said and one for what its calls answered. */
function conversationRows(turns: readonly Turn[], isShortened: boolean): Row[] {
  const rows: Row[] = []
  let turn = 0
  for (const [at, one] of turns.entries()) {
    if (one.role === "assistant") {
      turn += 1
      const calls = one.toolCalls.map(({ name, args }) => `${name} ${args}`)
      rows.push({ kind: "reply", turn: turn - 1, text: [one.text, ...calls].join("\n") })
    } else if (one.role === "user") rows.push({ kind: at === 0 ? "task" : at === 1 && isShortened ? "summary" : "message", text: one.text })
    else {
      const said = one.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
      const last = rows.at(-1)
      if (last?.kind === "results")
        rows[rows.length - 1] = { ...last, names: [...(last.names ?? []), one.tool], text: `${last.text}\n\n${said}` }
      else rows.push({ kind: "results", turn: Math.max(0, turn - 1), names: [one.tool], text: said })
    }
  }
  const [first, ...rest] = rows
  const over = rest.length - 2 * MAX_TURNS_SHOWN
  if (first === undefined || over <= 0) return rows
  const earlier: Row = {
    kind: "earlier",
    count: over,
    text: rest
      .slice(0, over)
      .map(({ text }) => text)
      .join("\n\n"),
  }
  return [first, earlier, ...rest.slice(over)]
}
