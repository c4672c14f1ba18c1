// Parses an agent's `model:` [F52]: `@role`, `provider/model` or `model`, each with an optional `:thinking-level`; or several of these,
// each a fallback for those before it [F33]. Several are kept as one text with commas.

import { THINKING, type Thinking } from "./agent.ts"

export type ModelRef = (
  | { readonly kind: "role"; readonly role: string }
  | { readonly kind: "provider"; readonly provider: string; readonly id: string }
  | { readonly kind: "bare"; readonly id: string }
) & { readonly thinking?: Thinking }

export const isThinking = (text: string): text is Thinking => THINKING.some((level) => level === text)

/** Limit: models that a `model:` or a role names. */
export const MAX_MODELS = 8 // limit: models that take turns → 422, or `AV-MODEL`

/** Each model that the text names, in order. */
export const modelRefs = (text: string): readonly string[] =>
  text
    .split(",")
    .map((ref) => ref.trim())
    .filter((ref) => ref !== "")

/** Reads the first model. Removes surrounding spaces and quotes. Only a known thinking level is split off: `llama3:8b` keeps its suffix. */
export function parseModelRef(text: string): ModelRef {
  const bare = (text.split(",")[0] ?? "")
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim()
  const colon = bare.lastIndexOf(":")
  const suffix = bare.slice(colon + 1)
  const thinking = colon > 0 && isThinking(suffix) ? { thinking: suffix } : {}
  const name = "thinking" in thinking ? bare.slice(0, colon) : bare
  if (name.startsWith("@")) return { kind: "role", role: name.slice(1), ...thinking }
  const slash = name.indexOf("/")
  if (slash < 0) return { kind: "bare", id: name, ...thinking }
  return { kind: "provider", provider: name.slice(0, slash), id: name.slice(slash + 1), ...thinking }
}
