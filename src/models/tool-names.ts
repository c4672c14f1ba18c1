// [T4] Maps tool names to names that providers accept: letters, digits, `_` and `-`, at most 64. Reversible within a request, and a tool
// keeps its name across turns, so a provider's prompt cache stays warm: the mapping depends on the set of names, never on their order.

const MAX_LENGTH = 64 // limit: characters of a tool's name at a provider → the name is cut and ends in a hash

export interface ToolNames {
  /** The name sent to the provider. */
  safe(name: string): string
  /** The tool's real name; a name that the provider invented is returned unchanged. */
  real(name: string): string
}

/** `names`: the tools of this request, and names found only in its history. */
export function toolNames(names: readonly string[]): ToolNames {
  const toSafe = new Map<string, string>()
  const toReal = new Map<string, string>()
  const give = (name: string, safe: string): void => {
    toSafe.set(name, safe)
    toReal.set(safe, name)
  }
  const all = [...new Set(names)].sort()
  // Valid names come first and stay unchanged.
  for (const name of all) if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) give(name, name)
  const others = all.filter((name) => !toSafe.has(name))
  const wanted = new Map<string, number>()
  for (const name of others) wanted.set(flat(name), (wanted.get(flat(name)) ?? 0) + 1)
  for (const name of others) {
    const plain = flat(name)
    let safe = plain
    if (plain.length > MAX_LENGTH || toReal.has(plain) || wanted.get(plain) !== 1) safe = hashed(plain, name)
    // Two equal hashes, or a real name that looks like a hashed one.
    for (let n = 2; toReal.has(safe); n++) safe = hashed(plain, `${name} ${n}`)
    give(name, safe)
  }
  return { safe: (name) => toSafe.get(name) ?? name, real: (name) => toReal.get(name) ?? name }
}

const flat = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_") || "tool"

const hashed = (plain: string, name: string): string => {
  const hash = short(name)
  return `${plain.slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`
}

/** FNV-1a over UTF-16, six characters: only distinguishes the names of one request. */
function short(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36).padStart(6, "0").slice(-6)
}
