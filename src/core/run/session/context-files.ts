// Handles `context_files` [F50]: workspace files whose text is part of an agent's prompt. They are read once, before the session's first
// model call, and their text is journaled, so that every turn sends the same prompt [J21] and what the agent saw can be read later. The
// pictures and PDFs that come with the task [F56] are read with them.

import { defined } from "../../defined.ts"
import type { Attachment } from "../event-parts.ts"
import type { EventOf, Fact, FactOf } from "../event.ts"
import { cacheOf } from "../../flow/flow.ts"
import { originsOf } from "../../flow/origin.ts"
import type { Run, Session, StepState } from "../state.ts"
import type { Unseen } from "./files/attachment.ts"
import { shownAt } from "./files/attaching.ts"
import { contextKey } from "../key.ts"
import { sessionOf, touch } from "../steps/touch.ts"

/** Limit: bytes of all context files of an agent → the rest is cut, and the text says so. */
export const MAX_CONTEXT_BYTES = 128 * 1024

export interface ContextWish {
  readonly do: "read-context"
  readonly key: string
  readonly step: string
  readonly agent: string
  readonly paths: readonly string[]
  /** [F56] Files to show with the task. */
  readonly attach: readonly string[]
}

export interface ContextRead extends Pick<FactOf<"context.read">, "text" | "outside" | "files"> {
  /** [F56] Of the task's files: what is shown, and why the others are not. */
  readonly attached?: readonly Attachment[]
  readonly unseen?: readonly Unseen[]
  /** What was left out, and why. */
  readonly faults: readonly string[]
  readonly tainted?: true
  readonly private?: true
}

/** The files to read; undefined: the agent names none, or they were read. */
export function contextWish(run: Run, id: string, s: StepState, session: Session): ContextWish[] | undefined {
  const paths = run.plan.agents[session.agent]?.context_files ?? []
  const attach = session.attach ?? []
  if ((paths.length === 0 && attach.length === 0) || session.context !== undefined) return undefined
  const key = contextKey(id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "read-context", key, step: id, agent: session.agent, paths, attach }]
}

/** A context file that is missing, or not text, is left out with a warning; so is a file of the task that cannot be shown. */
export function contextRead({ step, read }: { readonly step: string; readonly read: ContextRead }): Fact[] {
  const { attached = [], unseen = [] } = read
  return [
    {
      type: "context.read",
      step,
      text: read.text,
      ...defined({ outside: read.outside }),
      files: [...read.files],
      ...(attached.length === 0 ? {} : { attached: [...attached] }),
      ...(unseen.length === 0 ? {} : { unseen: [...unseen] }),
      ...marksOf(read),
    },
    ...read.faults.map((message): Fact => ({ type: "warning", code: "context_file", step, message })),
    ...unseen.map(({ path, why }): Fact => ({ type: "warning", code: "not_shown", step, message: `${path} is not shown: ${why}` })),
  ]
}

const marksOf = ({ tainted, private: isPrivate }: { readonly tainted?: true; readonly private?: true }) =>
  defined({ tainted, private: isPrivate })

export function contextTaken(run: Run, e: EventOf<"context.read">): void {
  const s = touch(run, e.step)
  const key = contextKey(e.step, s.pass)
  delete run.underway[key]
  delete run.begun[key]
  if (cacheOf(run.plan.steps.get(e.step)) !== undefined) s.cache = { ...s.cache, files: e.seq }
  const session = sessionOf(run, e.step)
  if (!session) return
  session.context = e.text
  if (e.outside !== undefined) session.told = { ...session.told, files: e.outside }
  if (e.attached || e.unseen) {
    session.attached = { seq: e.seq, files: e.attached ?? [], unseen: e.unseen ?? [] }
    // What a later run reads of the conversation includes what was shown with its task [J25].
    session.sticky?.seqs.push(e.seq)
  }
  shownAt(session, e)
  if (e.tainted) {
    session.tainted = true
    if (run.origins?.includes("attachments") === true) session.origins = originsOf([...(session.origins ?? []), "attachments"])
  }
  if (e.private) session.private = true
}
