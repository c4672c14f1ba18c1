// Questions of a run, answered where it is watched [Q1–Q3], and what Ctrl-C means there. Only for a person at a terminal.

import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import type { Json } from "../../src/core/json.ts"
import { exactJson } from "../../src/core/outside/exact-json.ts"
import { answerTo } from "../../src/core/run/question/answer.ts"
import type { QuestionSource } from "../../src/core/run/question/forms.ts"
import { question } from "../../src/core/run/question/question.ts"
import type { Answer } from "../../src/core/run/signal.ts"
import { questionLines } from "../../local/question-lines.ts"
import { plain } from "../../local/show-run.ts"
import type { Context } from "../context.ts"
import { answering } from "../commands/inbox.ts"
import { EXIT } from "../exit.ts"

interface Asked extends QuestionSource {
  readonly run: string
  readonly id: string
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
      context.line(`        left open: ${answering(asked, `${asked.run}/${asked.id}`)}`)
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
async function answerOf(asked: Asked): Promise<Answer | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts")
  const { answer, approve, custom } = question(asked).ways
  // The run has shown the rest of it just above.
  const words = plain(questionLines(asked)[0] ?? "")
  if (approve) {
    const decision = await select({
      message: words,
      options: [
        { value: "approve", label: "Approve" },
        { value: "reject", label: "Reject" },
        { value: "later", label: "Leave it open" },
      ],
    })
    if (isCancel(decision) || decision === "later") return undefined
    if (decision === "approve") return answerTo(asked, "approve").body
    const feedback = await text({ message: "Why? The agent reads this.", placeholder: "may stay empty" })
    return answerTo(asked, "reject", isCancel(feedback) ? {} : { feedback }).body
  }
  const [field] = answer?.fields ?? []
  if (field?.kind === "choice" || field?.kind === "yes-no") {
    const choice = await select({
      message: words,
      options: [
        ...field.options.map(({ value }, i) => ({ value: i, label: plain(typeof value === "string" ? value : JSON.stringify(value)) })),
        ...(custom ? [{ value: -1, label: "Something else" }] : []),
      ],
    })
    if (isCancel(choice)) return undefined
    if (choice >= 0) return answerTo(asked, "answer", { answer: field.options[choice]?.value ?? null }).body
    const own = await text({ message: words })
    return isCancel(own) || !own ? undefined : answerTo(asked, "custom", { custom: own }).body
  }
  const said = await text({ message: words })
  if (isCancel(said) || !said) return undefined
  return { answer: field?.kind === "text" ? said : valueOf(said) }
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
