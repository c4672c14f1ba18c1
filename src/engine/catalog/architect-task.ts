// What the architect is told of a session: the wish, and the files it is about. The architect cannot read the catalog's files, so
// whatever it shall change stands here whole. Texts are material between tags: templates in them are not read again [F40].

import type { Diagnostic } from "../../core/diagnostic.ts"

/** All texts of one task together. Journal and prompt hold the task more than once, and a row of the journal holds 2 MB. */
export const MOST_SHOWN = 200_000

export interface ShownFile {
  readonly path: string
  readonly text: string
  readonly diagnostics?: readonly Diagnostic[]
}

export function editTask(wish: string, flow: { readonly id: string } & ShownFile, agents: readonly ShownFile[]): string {
  const budget = { left: MOST_SHOWN }
  return paragraphs(
    `Change the flow "${flow.id}". The wish:`,
    wish,
    `Write the whole changed flow to ${flow.path}. Whatever the wish does not speak of stays as it is: step ids, agents, wording, comments. The flow as it is now:`,
    shown(flow, "flow", budget),
    ...(agents.length > 0
      ? ["Its agents that you may rewrite, each at its path:", ...agents.map((agent) => shown(agent, "agent", budget))]
      : []),
  )
}

export interface Returned extends ShownFile {
  /** Against what the catalog holds; "" for a file that is new there. */
  readonly diff: string
  /** What the catalog holds by now, when that is not what the architect saw; null: the file is gone. */
  readonly now?: string | null
}

/** `flow`: of a session that changes one; its present text, when nothing of it is staged. */
export function reviseTask(session: {
  readonly wish: string
  readonly flow?: { readonly id: string; readonly unwritten?: ShownFile }
  readonly notes: string
  readonly iteration: number
  readonly files: readonly Returned[]
}): string {
  const { wish, flow, notes, iteration, files } = session
  const budget = { left: MOST_SHOWN }
  return paragraphs(
    flow ? `Change the flow "${flow.id}". The wish:` : "Design a flow. The wish:",
    wish,
    `This is round ${iteration}. A person has looked at what was written and sends it back with these notes, which count more than the wish:`,
    notes,
    files.length > 0
      ? "What is written so far, and stays as it is unless you write it again. End with the flow: write it once more even if only its agents change."
      : "Nothing is kept of what was written before.",
    ...files.flatMap((file) => [
      shown(file, "written", budget),
      ...(file.diff === "" ? [] : [tagged("difference", file.path, file.diff, budget)]),
      ...(file.now === undefined ? [] : [meanwhile(file.path, file.now, budget)]),
    ]),
    ...(flow?.unwritten ? [`The flow as it is now, at ${flow.unwritten.path}:`, shown(flow.unwritten, "flow", budget)] : []),
  )
}

const meanwhile = (path: string, now: string | null, budget: { left: number }): string =>
  now === null
    ? `Somebody removed ${path} from the catalog meanwhile.`
    : paragraphs(
        `Somebody changed ${path} in the catalog meanwhile. Keep their change as well; this is their text:`,
        tagged("present", path, now, budget),
      )

function shown({ path, text, diagnostics = [] }: ShownFile, tag: string, budget: { left: number }): string {
  const faults = diagnostics.map((d) => `- line ${d.line}, ${d.severity} ${d.code}: ${d.message}`)
  return paragraphs(tagged(tag, path, text, budget), ...(faults.length > 0 ? [`The check says of ${path}:\n${faults.join("\n")}`] : []))
}

function tagged(tag: string, path: string, text: string, budget: { left: number }): string {
  budget.left -= text.length
  if (budget.left < 0) return `(${path} is too long to be shown here.)`
  return `<${tag} path="${path}">\n${text.endsWith("\n") ? text : `${text}\n`}</${tag}>`
}

const paragraphs = (...parts: readonly string[]): string => parts.join("\n\n")
