// Questions of a run, answered where it is watched [Q1–Q3], and what Ctrl-C means there. Only for a person at a terminal.

import { SluiceError } from "../../src/client/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import type { Json, JsonObject } from "../../src/core/json.ts"
import { exactJson } from "../../src/core/outside/exact-json.ts"
import type { Answer } from "../../src/api/interactions.ts"
import { plain } from "../../local/show-run.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"

interface Asked {
  readonly run: string
  readonly id: string
  readonly kind: string
  readonly payload: JsonObject
  readonly schema: JsonObject
}

type Asking = Extract<RunEvent, { type: "interaction.asked" | "child.asked" }>

export async function askInPlace(context: Context, client: Sluice, run: string, event: Asking): Promise<void> {
  const open: readonly Asked[] = event.type === "child.asked" ? event.open : [{ ...event, run }]
  for (const asked of open) {
    // The event may be old, and the question long decided.
    const now = await client.interactions.get(asked.run, asked.id).catch(() => undefined)
    if (now?.status !== "pending") continue
    const answer = await answerOf(asked)
    if (answer === undefined) {
      context.line(`        left open: sluice answer ${asked.run}/${asked.id} …`)
      continue
    }
    try {
      await client.interactions.answer(asked.run, asked.id, answer)
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      context.line(`        ${plain(error.message)}`)
    }
  }
}

/** undefined: the person leaves it to somebody else. */
async function answerOf({ kind, payload, schema }: Asked): Promise<Answer | undefined> {
  const { isCancel, log, select, text } = await import("@clack/prompts")
  const forms = formsOf(schema)
  const decisions = forms.flatMap((form) => constOf(form, "decision"))
  const question = plain(typeof payload["question"] === "string" ? payload["question"] : wordsOf(kind, payload))
  if (decisions.includes("approve")) {
    if (payload["args"] !== undefined) log.message(plain(JSON.stringify(payload["args"], null, 2)))
    const decision = await select({
      message: question,
      options: [
        { value: "approve", label: "Approve" },
        { value: "reject", label: "Reject" },
        { value: "later", label: "Leave it open" },
      ],
    })
    if (isCancel(decision) || decision === "later") return undefined
    const hash = payload["hash"]
    if (decision === "approve") return { decision: "approve", ...(typeof hash === "string" ? { hash } : {}) }
    const feedback = await text({ message: "Why? The agent reads this.", placeholder: "may stay empty" })
    return { decision: "reject", ...(isCancel(feedback) || feedback === undefined || feedback === "" ? {} : { feedback }) }
  }
  const options = forms.flatMap((form) => enumOf(form))
  if (options.length > 0) {
    const isFree = forms.some((form) => "custom" in propertiesOf(form))
    const choice = await select({
      message: question,
      options: [
        ...options.map((option, i) => ({ value: i, label: plain(typeof option === "string" ? option : JSON.stringify(option)) })),
        ...(isFree ? [{ value: -1, label: "Something else" }] : []),
      ],
    })
    if (isCancel(choice)) return undefined
    if (choice >= 0) return { answer: options[choice] ?? null }
    const custom = await text({ message: question })
    return isCancel(custom) || !custom ? undefined : { custom }
  }
  const said = await text({ message: question })
  if (isCancel(said) || !said) return undefined
  const wantsText = forms.some((form) => isText(propertiesOf(form)["answer"]))
  return { answer: wantsText ? said : valueOf(said) }
}

function wordsOf(kind: string, payload: JsonObject): string {
  const { tool } = payload
  return typeof tool === "string" ? `${tool} wants to run` : `${kind}: ${JSON.stringify(payload)}`
}

function valueOf(said: string): Json {
  if (/^(y|yes)$/i.test(said)) return true
  if (/^(n|no)$/i.test(said)) return false
  try {
    return exactJson(said) as Json
  } catch {
    return said
  }
}

const isRecord = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)
const formsOf = (schema: JsonObject): readonly JsonObject[] =>
  Array.isArray(schema["oneOf"]) ? schema["oneOf"].filter(isRecord) : [schema]
const propertiesOf = (form: JsonObject): JsonObject => (isRecord(form["properties"]) ? form["properties"] : {})
const constOf = (form: JsonObject, name: string): Json[] => {
  const member = propertiesOf(form)[name]
  return isRecord(member) && member["const"] !== undefined ? [member["const"]] : []
}
const enumOf = (form: JsonObject): Json[] => {
  const member = propertiesOf(form)["answer"]
  if (isRecord(member) && member["type"] === "boolean") return [true, false]
  return isRecord(member) && Array.isArray(member["enum"]) ? [...member["enum"]] : []
}
const isText = (member: Json | undefined): boolean => isRecord(member) && member["type"] === "string"

export interface Leaving {
  /** Runs `ask`, whose prompt reads Ctrl-C itself. */
  aside(ask: () => Promise<void>): Promise<void>
  code(): number
  stop(): void
}

/** Ctrl-C while a run is watched: on a terminal it asks, and the run goes on meanwhile; anywhere else it leaves the run alone. */
export function leave(context: Context, client: Sluice, run: string, leaving: AbortController): Leaving {
  let code: number = EXIT.failed
  let isAsking = false
  let isAside = false
  const stop = (): void => {
    if (!context.isTerminal) {
      context.note(`the run goes on: sluice watch ${run}`)
      code = INTERRUPTED
      return leaving.abort()
    }
    // A second Ctrl-C leaves at once. A prompt reads the key itself, so this is one before or after it.
    if (isAsking || isAside) {
      context.note(`the run goes on: sluice watch ${run}`)
      process.exit(INTERRUPTED)
    }
    isAsking = true
    void (async () => {
      const { isCancel, select } = await import("@clack/prompts")
      const choice = await select({
        message: "The run is not over.",
        options: [
          { value: "detach", label: "Detach: it goes on without you" },
          { value: "cancel", label: "Cancel the run" },
          { value: "stay", label: "Keep watching" },
        ],
      })
      isAsking = false
      if (choice === "stay") return
      if (choice === "cancel") {
        await client.runs.cancel(run)
        context.line("canceled")
        code = EXIT.failed
      } else {
        context.line(`it goes on: sluice watch ${run}`)
        code = isCancel(choice) ? INTERRUPTED : EXIT.ok
      }
      leaving.abort()
    })()
  }
  process.on("SIGINT", stop)
  return {
    async aside(ask) {
      isAside = true
      try {
        await ask()
      } finally {
        isAside = false
      }
    },
    code: () => code,
    stop: () => void process.off("SIGINT", stop),
  }
}

/** As a shell names a program that SIGINT ended. */
const INTERRUPTED = 130
