// Says what the runs of a key have in common: `${{flow.input.customer}}` is the customer.

/** What the template of a key names; undefined: it names nothing, and all starts share one key. */
export function keyNames(template: string | undefined): string | undefined {
  const names = [...(template ?? "").matchAll(/\$\{\{\s*([^}]+?)\s*\}\}/g)].map(([, path = ""]) => nameOf(path))
  if (names.length === 0) return undefined
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`
}

const nameOf = (path: string): string => path.replace(/^(?:flow\.input|trigger\.body|trigger|config)\./, "").replaceAll("_", " ")

/** A key with what it is: `customer cus_48120`; a key of several parts says only itself. */
export function keyTitle(template: string | undefined, key: string): string {
  const isWhole = /^\s*\$\{\{[^}]+\}\}\s*$/.test(template ?? "")
  return isWhole && key !== "" ? `${keyNames(template) ?? ""} ${key}` : key
}
