// Finds the flows that a save concerns: those whose files changed, and those that name a changed agent, skill or flow, in any number of
// steps. Pure.
//
// A name counts wherever a text has it as a word, so a comment may add a flow to the list; none that is concerned is left out.

import type { Bundle } from "../../src/api/catalog.ts"
import { codePlace } from "../../src/core/flow/code-file.ts"
import { catalogPath } from "../../src/core/flow/path-id.ts"
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

export const flowsIn = ({ flows = {} }: Bundle): readonly string[] => idsIn(flows, "flow")

export const hasTests = ({ flows = {}, tests = {} }: Bundle, flow: string): boolean =>
  idsIn(flows, "test").includes(flow) || idsIn(tests, "test", "tests").includes(flow)
export const hasRehearsal = ({ flows = {} }: Bundle, flow: string): boolean => idsIn(flows, "rehearsal").includes(flow)

export const untestedFlows = (bundle: Bundle, flows = flowsIn(bundle)): readonly string[] =>
  flows.filter((flow) => !hasTests(bundle, flow) && !hasRehearsal(bundle, flow))

/** The flows that these files are of, or belong to [F5]. */
const idsIn = (files: Readonly<Record<string, string>>, kind: "flow" | "test" | "rehearsal", folder = "flows"): readonly string[] =>
  Object.keys(files).flatMap((file) => {
    const place = catalogPath(`${folder}/${file}`)
    return place.ok && place.value.kind === kind ? [place.value.id] : []
  })

/** `agents/a.md` → `agent a`. A flow's rehearsal, tests and handlers are the flow. */
function nameOf(path: string): string {
  const [kind = "", ...rest] = path.split("/")
  const file = rest.join("/")
  if (kind === "agents") return `agent ${file.replace(/\.md$/, "")}`
  if (kind === "skills") return `skill ${rest[0] ?? ""}`
  const code = codePlace(path)
  if (code.ok) return `flow ${code.value.flow}`
  if (kind !== "flows" && kind !== "tests") return path
  const place = catalogPath(path)
  return place.ok && "id" in place.value ? `flow ${place.value.id}` : path
}

/** What a file may name: a flow names agents and flows, an agent skills and agents. */
function wordsOf(path: string, text: string): readonly string[] {
  // `legal:nda` is the id of a flow, and may also be a key with its value.
  const words = [...new Set((text.match(/[A-Za-z0-9_][A-Za-z0-9_./:-]*/g) ?? []).flatMap((word) => [word, ...word.split(":")]))]
  return words.flatMap((word) => (path.startsWith("flows/") ? [`agent ${word}`, `flow ${word}`] : [`skill ${word}`, `agent ${word}`]))
}
