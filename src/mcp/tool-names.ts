// Derives MCP names of tools and flows [T4, H12]: letters, digits, "_" and "-", at most 64, because clients pass them on to model
// providers. A name depends only on the original, so a new flow can't take over the name of another one. A flow is `flow_<id>`; ":" and "."
// become "__". A name that is too long or cannot be read back exactly ends in a hash of the original instead.

import { isFlowId } from "../core/text/names.ts"
import { sha256 } from "../engine/sha256.ts"

const MAX_LENGTH = 64 // limit: characters of a tool's name over MCP → the name ends in a short hash
const FLOW = "flow_"
const HASHED = /-[0-9a-f]{10}$/

/** `builtins`: tools whose own names begin with "flow_". */
export async function toolName(name: string, builtins: { has(name: string): boolean }): Promise<string> {
  const flat = name.replaceAll(/[^A-Za-z0-9_-]/g, "__")
  const back = flat.replaceAll("__", flat.startsWith("mcp__") ? ":" : ".")
  const isFree = !name.startsWith(FLOW) || builtins.has(name)
  return isFree && back === name && isPlain(flat) ? flat : hashed(flat, `tool ${name}`)
}

export async function flowName(id: string, builtins: { has(name: string): boolean }): Promise<string> {
  const flat = `${FLOW}${id.replaceAll(":", "__")}`
  const isExact = flat.slice(FLOW.length).replaceAll("__", ":") === id && isPlain(flat) && !builtins.has(flat)
  return isExact ? flat : hashed(flat, `flow ${id}`)
}

const isPlain = (name: string): boolean => name.length <= MAX_LENGTH && !HASHED.test(name)

async function hashed(flat: string, original: string): Promise<string> {
  const hash = (await sha256(original)).slice(0, 10)
  return `${flat.slice(0, MAX_LENGTH - hash.length - 1)}-${hash}`
}

/**
 * The flows that a called name may mean, likeliest first: the one listed under this name, then one by an older or raw spelling
 * (`flow_legal.nda`, `flow_.legal.nda`, `flow_legal:nda`). `ids` is called only for a name with a hash.
 */
export async function flowsOf(
  name: string,
  builtins: { has(name: string): boolean },
  ids: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (!name.startsWith(FLOW)) return []
  const said = name.slice(FLOW.length)
  const meant = [said.replaceAll("__", ":"), said.replace(/^\./, "").replaceAll(".", ":")]
  const listed = isFlowId(meant[0] ?? "") && (await flowName(meant[0] ?? "", builtins)) === name ? meant.slice(0, 1) : []
  const digested = HASHED.test(name) ? await named(name, builtins, await ids()) : []
  return digested.length > 0 ? digested : [...new Set([...listed, ...meant.slice(1).filter(isFlowId)])]
}

async function named(name: string, builtins: { has(name: string): boolean }, ids: readonly string[]): Promise<readonly string[]> {
  const names = await Promise.all(ids.map((id) => flowName(id, builtins)))
  return ids.filter((_, i) => names[i] === name)
}

/** The older spelling of names, before they had to fit providers; still accepted in calls. */
export const dotted = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.-]/g, ".")
