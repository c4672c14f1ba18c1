// Writes the task of an architect run: the request, and the files it concerns. The architect cannot read the catalog's files, so every file
// it should change is included whole. Files are quoted between tags; templates in them are not expanded [F40].

import type { Diagnostic } from "../../core/diagnostic.ts"

/** Characters of all texts in one task. Journal and prompt hold the task more than once, and a journal row holds 2 MB. */
export const MAX_SHOWN = 200_000 // limit: characters of all texts in an architect's task → further files are named only

export interface ShownFile {
  readonly path: string
  readonly text: string
  readonly diagnostics?: readonly Diagnostic[]
}

export function editTask(wish: string, flow: { readonly id: string } & ShownFile, agents: readonly ShownFile[]): string {
  const budget = { left: MAX_SHOWN }
  return paragraphs(
    `Change the flow "${flow.id}". The request:`,
    wish,
    `Write the whole changed flow to ${flow.path}. Leave everything that the request does not mention unchanged: step ids, agents, wording, comments. The current flow:`,
    shown(flow, "flow", budget),
    ...(agents.length > 0
      ? ["The agents that you may rewrite, each at its path:", ...agents.map((agent) => shown(agent, "agent", budget))]
      : []),
  )
}

export interface ReturnedFile extends ShownFile {
  /** Against the catalog's text; "" for a new file. */
  readonly diff: string
  /** The catalog's current text, if it differs from what the architect saw; null: the file was removed. */
  readonly now?: string | null
}

/** `flow`: the flow that the session changes, with its current text if no change to it is staged. */
export function reviseTask(session: {
  readonly wish: string
  readonly flow?: { readonly id: string; readonly unwritten?: ShownFile }
  readonly notes: string
  readonly iteration: number
  readonly files: readonly ReturnedFile[]
  /** Of a repair: what is known besides. */
  readonly more?: readonly string[]
}): string {
  const { wish, flow, notes, iteration, files, more = [] } = session
  const budget = { left: MAX_SHOWN }
  return paragraphs(
    flow ? `Change the flow "${flow.id}". The request:` : "Design a flow. The request:",
    wish,
    `This is round ${iteration}. A person reviewed the files and sent them back with these notes, which take precedence over the request:`,
    notes,
    files.length > 0
      ? "The files written so far; each stays unchanged unless you write it again. End with the flow: write it again even if only its agents change."
      : "All files written before were dropped.",
    ...files.flatMap((file) => [
      shown(file, "written", budget),
      ...(file.diff === "" ? [] : [tagged("difference", file.path, file.diff, budget)]),
      ...(file.now === undefined ? [] : [meanwhile(file.path, file.now, budget)]),
    ]),
    ...(flow?.unwritten ? [`The current flow, at ${flow.unwritten.path}:`, shown(flow.unwritten, "flow", budget)] : []),
    ...more,
  )
}

const meanwhile = (path: string, now: string | null, budget: { left: number }): string =>
  now === null
    ? `Someone removed ${path} from the catalog in the meantime.`
    : paragraphs(
        `Someone changed ${path} in the catalog in the meantime. Keep that change as well; this is the new text:`,
        tagged("present", path, now, budget),
      )

export function shown({ path, text, diagnostics = [] }: ShownFile, tag: string, budget: { left: number }): string {
  const faults = diagnostics.map((d) => `- line ${d.line}, ${d.severity} ${d.code}: ${d.message}`)
  return paragraphs(tagged(tag, path, text, budget), ...(faults.length > 0 ? [`Diagnostics of ${path}:\n${faults.join("\n")}`] : []))
}

function tagged(tag: string, path: string, text: string, budget: { left: number }): string {
  budget.left -= text.length
  if (budget.left < 0) return `(${path} is too long to show here.)`
  return `<${tag} path="${path}">\n${text.endsWith("\n") ? text : `${text}\n`}</${tag}>`
}

export const paragraphs = (...parts: readonly string[]): string => parts.join("\n\n")
