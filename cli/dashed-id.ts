// Takes an id that begins with "-" as an argument: ids of hooks are random base64url, and commander would read one in 64 as an option.

/** No option is this long. */
const DASHED = /^-[\w-]{30,}$/

/** The same words with such an id at the end, where nothing is an option. */
export function withDashedId(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word, i) => i >= 2 && DASHED.test(word) && isFree(argv[i - 1] ?? ""))
  const id = argv[at]
  if (id === undefined || argv.includes("--")) return argv
  return [...argv.slice(0, at), ...argv.slice(at + 1), "--", id]
}

/** An option before the word may take it as its value, but for this one. */
const isFree = (before: string): boolean => !before.startsWith("-") || before === "--json"
