// Lists the bodies that an event names by hash [F71]: workspace files, given files, and the full text of long outputs. A run owns these
// bodies, and a body is deleted after its last owner is. Definitions are not listed, because they are never deleted.

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
