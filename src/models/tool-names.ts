// [T4] Tool names as a provider takes them: letters, digits, `_` and `-`, 64 at most. Reversible for one request, and a tool has the
// same name in each turn, so that a provider's prompt cache stays warm: what decides is the set of names, never their order.

const LONGEST = 64

export interface ToolNames {
  /** What the provider is told. */
  safe(name: string): string
  /** What the tool is called here; a name the provider made up comes back as it is. */
  real(name: string): string
}

/** `names`: the tools of this request, and names that only its history mentions. */
export function toolNames(names: readonly string[]): ToolNames {
  const toSafe = new Map<string, string>()
  const toReal = new Map<string, string>()
  const give = (name: string, safe: string): void => {
    toSafe.set(name, safe)
    toReal.set(safe, name)
  }
  const all = [...new Set(names)].sort()
  // A name that is fine keeps it, whatever its neighbours would like to be called.
  for (const name of all) if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) give(name, name)
  const others = all.filter((name) => !toSafe.has(name))
  const wanted = new Map<string, number>()
  for (const name of others) wanted.set(flat(name), (wanted.get(flat(name)) ?? 0) + 1)
  for (const name of others) {
    const plain = flat(name)
    let safe = plain
    if (plain.length > LONGEST || toReal.has(plain) || wanted.get(plain) !== 1) safe = hashed(plain, name)
    // Two hashes alike, or somebody's name that looks like one.
    for (let n = 2; toReal.has(safe); n++) safe = hashed(plain, `${name} ${n}`)
    give(name, safe)
  }
  return { safe: (name) => toSafe.get(name) ?? name, real: (name) => toReal.get(name) ?? name }
}

const flat = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_") || "tool"

const hashed = (plain: string, name: string): string => {
  const hash = short(name)
  return `${plain.slice(0, LONGEST - hash.length - 1)}_${hash}`
}

/** FNV-1a over UTF-16, six characters: to tell names of one request apart, nothing more. */
function short(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36).padStart(6, "0").slice(-6)
}
