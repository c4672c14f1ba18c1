// The bodies that an event names by their hashes [F71]: what a run has put into its workspace, was given, or has kept of a long output. A run
// owns these, and a body stays until its last owner has gone. Definitions are not among them, because they stay anyway.

import type { RunEvent } from "./event.ts"

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
