// Finds the files that come with a task [F56]: the pictures and PDFs of the run's start, for a step whose templates use the run's task, and
// those that the task names as `@path`. They are read with the context files, before the first model call, so that the session keeps what
// it was shown.

import { isMediaType } from "../../../media/media.ts"
import { references } from "../../../flow/template.ts"
import { normalizePath, unmentioned } from "../../../text/path.ts"
import type { EventOf, FactOf } from "../../event.ts"
import { mediaTypeOf } from "../../given-file.ts"
import type { Run, Session } from "../../state.ts"
import { tokensIn } from "./attachment.ts"

/** Limit: files that come with one task. Each is shown, or a sentence says that it is not. */
export const MAX_WANTED = 50 // limit: files that come with one task → further ones are not mentioned
/** Characters of a mention. */
const MENTION = /(?<![\w.@/-])@(?:"([^"\n]{1,512})"|([^\s"'`<>()[\]{},;|]{1,512}))/g

export function wantedFiles(run: Run, task: string, templates: readonly string[]): Pick<FactOf<"step.opened">, "attach"> {
  const given = (run.given ?? []).filter(({ type }) => isMediaType(type)).map(({ path }) => path)
  const known = new Set([...given, ...(run.put ?? []).filter(({ type }) => isMediaType(type)).map(({ path }) => path)])
  const named = mentionsIn(task).filter((path) => known.has(path) || isMediaType(mediaTypeOf(path)))
  const usesTask = given.length > 0 && templates.some((t) => references(t, run.plan.stepIds).some(({ ref }) => ref?.root === "task"))
  const wanted = [...new Set([...named, ...(usesTask ? given : [])])].slice(0, MAX_WANTED)
  return wanted.length === 0 ? {} : { attach: wanted }
}

/** The mentioned paths, normalized, in order. A mention that is not a path is ignored. */
export function mentionsIn(text: string): string[] {
  return [...text.matchAll(MENTION)].flatMap(([, quoted, plain = ""]) => {
    const path = normalizePath(unmentioned(quoted ?? plain.replace(/[.!?:*_]+$/, "")))
    return path.ok ? [path.value] : []
  })
}

/** Records that the session was shown files at this event, or images from a tool, whose tokens are not counted separately. */
export function shownAt(session: Session, e: EventOf<"context.read"> | EventOf<"tool.returned">): void {
  const shows = (e.attached ?? []).length > 0 || (e.type === "tool.returned" && e.content.some(({ type }) => type === "image"))
  if (!shows || session.blind) return
  session.pictures = [...(session.pictures ?? []), { seq: e.seq, tokens: tokensIn(e.attached) }]
}

/** The shown files that remain in a shortened conversation [J23]: those after the shortened part. */
export function picturesLeft(session: Session, upTo: number): void {
  if (session.pictures === undefined || upTo === 0) return
  session.unpicturedTo = Math.max(session.unpicturedTo ?? 0, upTo)
  session.pictures = session.pictures.filter(({ seq }) => seq > upTo)
  if (session.pictures.length === 0) delete session.pictures
}

export function blinded(session: Session): void {
  session.bytes = Math.max(0, session.bytes - tokensIn(session.pictures))
  session.blind = true
  delete session.pictures
}
