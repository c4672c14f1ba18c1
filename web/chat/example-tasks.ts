// Example tasks of a flow, for a conversation in which nothing is said: what its description quotes or lists as examples, then what was asked before.

const MAX_EXAMPLES = 3
/** Of a task that fits on a button. Characters. */
const [SHORTEST, LONGEST] = [8, 140]

export function exampleTasks(description: string, askedBefore: readonly string[]): readonly string[] {
  const quoted = [...description.matchAll(/[“"]([^”"\n]+)[”"]/g)].map(([, text = ""]) => text)
  const [, list = ""] = description.split(/\b(?:examples?|e\.g\.|for instance|such as)\s*:/i)
  const listed = list.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? [])
  const asked = askedBefore.map((text) => text.split("\n")[0] ?? "")
  const fits = [...quoted, ...listed, ...asked]
    .map((text) => text.trim().replace(/^["“]|["”]$/g, ""))
    .filter((text) => text.length >= SHORTEST && text.length <= LONGEST && /\s/.test(text))
  return [...new Set(fits)].slice(0, MAX_EXAMPLES)
}
