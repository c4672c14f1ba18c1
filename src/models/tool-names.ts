// [T4] Tool names as a provider takes them: letters, digits, `_` and `-`, 64 at most. Reversible for one request, and the same
// list of names gives the same names each turn, so that a provider's prompt cache stays warm.

const LONGEST = 64

export interface ToolNames {
  /** What the provider is told. */
  safe(name: string): string
  /** What the tool is called here; a name the provider made up comes back as it is. */
  real(name: string): string
}

/** `names`: the tools of this request first, then names that only its history mentions. */
export function toolNames(names: readonly string[]): ToolNames {
  const toSafe = new Map<string, string>()
  const toReal = new Map<string, string>()
  const give = (name: string, safe: string): void => {
    toSafe.set(name, safe)
    toReal.set(safe, name)
  }
  // A name that is fine keeps it, whatever its neighbours would like to be called.
  for (const name of names) if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) give(name, name)
  for (const name of names) {
    if (toSafe.has(name)) continue
    const flat = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST) || "tool"
    let free = flat
    for (let n = 2; toReal.has(free); n++) free = `${flat.slice(0, LONGEST - String(n).length - 1)}_${n}`
    give(name, free)
  }
  return { safe: (name) => toSafe.get(name) ?? name, real: (name) => toReal.get(name) ?? name }
}
