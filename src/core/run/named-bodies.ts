// The bodies that an event names by their hashes [F71]: what a run has put into its workspace, was given, or has kept of a long output. A run
// owns these, and a body stays until its last owner has gone. Definitions are not among them, because they stay anyway.

import type { RunEvent } from "./event.ts"
import type { Pins } from "./event-parts.ts"

export function namedBodies(event: RunEvent): string[] {
  switch (event.type) {
    case "run.started":
      return (event.files ?? []).map(({ hash }) => hash)
    case "file.put":
      return [event.file.hash]
    case "file.changed":
      return event.hash === null ? [] : [event.hash]
    case "model.replied":
      return event.toolCalls.flatMap(({ result }) => (result?.truncated ? [result.truncated.handle] : []))
    case "tool.returned": {
      const shown = (event.attached ?? []).map(({ hash }) => hash)
      return event.truncated ? [...shown, event.truncated.handle] : shown
    }
    default:
      return []
  }
}

/** The definitions that an event pins, for a run whose bodies may be of a build that did not tell them from content. */
export function pinnedBodies(event: RunEvent): string[] {
  if (event.type !== "run.started" && event.type !== "run.forked") return []
  const patched = event.type === "run.forked" ? Object.values(event.patch?.definitions ?? {}) : []
  return [...(event.pinned === undefined ? [] : hashesOf(event.pinned)), ...patched.filter((hash) => hash !== null)]
}

const hashesOf = ({ flow, agents, skills, rehearsal, flows, rehearsals, code, tools }: Pins): string[] => [
  flow.hash,
  ...(rehearsal === undefined ? [] : [rehearsal]),
  ...[agents, flows, rehearsals, code, tools, ...Object.values(skills)].flatMap((of) => Object.values(of ?? {})),
]
