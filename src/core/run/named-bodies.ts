// Lists the bodies that an event names by hash [F71]: workspace files, given files, and the full text of long outputs. A run owns these
// bodies, and a body is deleted after its last owner is. Definitions are not listed, because they are never deleted.

import type { EventOf, RunEvent } from "./event.ts"

export function namedBodies(event: RunEvent): string[] {
  switch (event.type) {
    case "run.started":
      return (event.files ?? []).map(({ hash }) => hash)
    case "file.put":
      return [event.file.hash]
    case "file.changed":
      return event.hash === null ? [] : [event.hash]
    case "model.replied":
    case "step.called":
      return event.toolCalls.flatMap(({ result }) => (result ? bodiesOf(result) : []))
    case "tool.returned":
      return bodiesOf(event)
    default:
      return []
  }
}

const bodiesOf = ({ attached = [], truncated }: Pick<EventOf<"tool.returned">, "attached" | "truncated">): string[] => [
  ...attached.map(({ hash }) => hash),
  ...(truncated ? [truncated.handle] : []),
]
