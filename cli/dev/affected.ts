// Which flows a save concerns: those whose files changed, and those that name a changed agent, skill or flow, in any number of steps. Pure.
//
// A name counts wherever a text has it as a word, so a comment may add a flow to the list; none that is concerned is left out.

import type { Bundle } from "../../src/api/catalog.ts"
import { filesOf } from "../project/difference.ts"

export function changedPaths(before: Bundle | undefined, now: Bundle): readonly string[] {
  const [old, fresh] = [before === undefined ? new Map<string, string>() : filesOf(before), filesOf(now)]
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((path) => old.get(path) !== fresh.get(path)).sort()
}

export function affectedFlows(now: Bundle, changed: readonly string[]): readonly string[] {
  const texts = filesOf(now)
  const names = new Set(changed.map(nameOf))
  // Agents and flows that name something changed are changed for those that name them. Each round adds a name, so there are few.
  for (let size = -1; size !== names.size;) {
    size = names.size
    for (const [path, text] of texts) {
      const name = nameOf(path)
      if (!names.has(name) && /^(?:agents|flows)\//.test(path) && wordsOf(path, text).some((word) => names.has(word))) names.add(name)
    }
  }
  return flowsIn(now).filter((flow) => names.has(`flow ${flow}`))
}

export const flowsIn = ({ flows = {} }: Bundle): readonly string[] =>
  Object.keys(flows).flatMap((file) => (/\.(?:rehearsal|test)\.ya?ml$/.test(file) ? [] : [file.replace(/\.ya?ml$/, "")]))

export const hasTests = ({ flows = {}, tests = {} }: Bundle, flow: string): boolean =>
  ["yaml", "yml"].some((ending) => `${flow}.test.${ending}` in flows || `${flow}.test.${ending}` in tests)
export const hasRehearsal = ({ flows = {} }: Bundle, flow: string): boolean =>
  ["yaml", "yml"].some((ending) => `${flow}.rehearsal.${ending}` in flows)

/** `agents/a.md` → `agent a`. A flow's rehearsal, tests and handlers are the flow. */
function nameOf(path: string): string {
  const [kind = "", ...rest] = path.split("/")
  const file = rest.join("/")
  if (kind === "agents") return `agent ${file.replace(/\.md$/, "")}`
  if (kind === "skills") return `skill ${rest[0] ?? ""}`
  if (kind === "code") return `flow ${rest[0] ?? ""}`
  if (kind !== "flows" && kind !== "tests") return path
  return `flow ${file.replace(/(?:\.(?:rehearsal|test))?\.ya?ml$/, "")}`
}

/** What a file may name: a flow names agents and flows, an agent skills and agents. */
function wordsOf(path: string, text: string): readonly string[] {
  const words = [...new Set(text.match(/[A-Za-z0-9_][A-Za-z0-9_./-]*/g) ?? [])]
  return words.flatMap((word) => (path.startsWith("flows/") ? [`agent ${word}`, `flow ${word}`] : [`skill ${word}`, `agent ${word}`]))
}
