// Reads what a person who grades a run sees of it: what it was asked, which tools it called, and its answer. No score, no other grade, no model, no
// variant [V21].

import type { RunOutline } from "../../src/core/run/views/outline.ts"
import type { RunView } from "../../src/core/run/views/view.ts"

interface SeenCall {
  readonly id: string
  readonly tool: string
  readonly about: string
  readonly ms: number | undefined
  /** It was refused or failed. */
  readonly isBad: boolean
}

export interface Evidence {
  readonly task: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly calls: readonly SeenCall[]
  readonly answer: string
  readonly error: string | undefined
}

const MAX_ABOUT = 120

export function evidenceOf(view: Pick<RunView, "task" | "inputs" | "output" | "error">, story: Pick<RunOutline, "steps">): Evidence {
  const passes = [...story.steps.values()].flatMap((step) => step.passes).sort((a, b) => a.seq - b.seq)
  const calls = passes.flatMap(({ turns, calls: own }) => [...turns.flatMap((turn) => turn.calls), ...own])
  return {
    task: view.task,
    inputs: view.inputs,
    calls: calls.flatMap(({ id, tool, args, begun, ended, state }): readonly SeenCall[] =>
      tool === "finish"
        ? []
        : [
            {
              id,
              tool,
              about: argsLine(args),
              ms: ended === undefined ? undefined : ended - begun,
              isBad: state === "refused" || state === "error",
            },
          ],
    ),
    answer: answerIn(view.output) ?? passes.findLast(({ summary }) => summary !== undefined && summary !== "")?.summary ?? "",
    error: view.error?.message,
  }
}

/** The words of an output: itself, or its summary; else as it is. */
function answerIn(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined
  if (typeof output === "string") return output
  if (typeof output === "object" && "summary" in output && typeof output.summary === "string") return output.summary
  return JSON.stringify(output, null, 2)
}

function argsLine(args: Readonly<Record<string, unknown>>): string {
  const line = Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(", ")
    .replaceAll(/\s+/g, " ")
  return line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT - 1)}…` : line
}
