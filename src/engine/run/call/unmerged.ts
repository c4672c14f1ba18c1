// Settles a call that may have changed something outside, and whose files another step has changed meanwhile [J11]. It is not made again,
// because its effect outside would happen twice. Files that only this call changed are accepted; its agent gets a note about the others.

import { defined } from "../../../core/defined.ts"
import type { FileChange } from "../../../ports/workspace.ts"
import type { Performed } from "../conduct/stage.ts"

/** `clashes`: the changes that conflict. */
export function unmerged(performed: Performed, clashes: readonly FileChange[]): Performed {
  const { signal, files = [] } = performed
  if (signal.type !== "tool.result" || clashes.length === 0) return performed
  const left = new Set(clashes.map(({ path }) => path))
  const taken = <T extends { readonly path: string }>(list: readonly T[]): T[] => list.filter(({ path }) => !left.has(path))
  const { wrote, changed, content, ...result } = signal.result
  const text = `The call was made, but what it wrote to ${[...left].join(", ")} was not saved: another step changed the same file in the meantime. The call is not made again. Read the file, and write there what is missing.`
  return {
    ...performed,
    signal: {
      ...signal,
      result: {
        ...result,
        content: [...content, { type: "text", text }],
        ...defined({ wrote: wrote && taken(wrote), changed: changed && taken(changed) }),
      },
    },
    files: taken(files),
  }
}
