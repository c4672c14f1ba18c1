// Parses a model's name: gateways and clouds write the same model in many ways, and a new version has the words of the old one.
// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5` have the same plain name.

export interface ModelName {
  /** Without maker, region, date and label of the edition. */
  readonly plain: string
  /** The words without versions and sizes, such as `claude sonnet`. */
  readonly words: readonly string[]
  /** The version's numbers, such as 4 and 5. */
  readonly version: readonly number[]
}

const MAKER =
  /^(?:(?:us|eu|apac|au|jp|ca|global|us-gov)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|ai21|minimax|moonshot|zai|google)\./
/** A date as one part or as three. */
const DATE = /-20\d{2}-?[01]\d-?[0-3]\d(?=-|$)/g
const EDITION = new Set(["latest", "preview", "exp", "experimental", "beta", "free", "snapshot"])
const FORM = new Set(["instruct", "it", "hf", "fp", "int", "awq", "thinking"])
/** Characters of a name that are read. A model's name has at most 200 in a setting. */
const MAX_NAME = 200 // limit: characters of a model's name that its price is looked up by → the rest is not read

export function modelName(id: string): ModelName {
  const last = id.slice(id.lastIndexOf("/") + 1, id.length).slice(0, MAX_NAME)
  const bare = last
    .toLowerCase()
    .replace(MAKER, "")
    .replace(/-v\d+:\d+$/, "")
    .replace(/[.:_@\s]+/g, "-")
    .replace(DATE, "")
  const parts = bare.split("-").filter((part) => part !== "" && !EDITION.has(part))
  const words: string[] = []
  const version: number[] = []
  for (const [i, part] of parts.entries()) {
    // A size, as in 70b or 8x7b, is no version.
    if (/^a?\d+(?:x\d+)?[bmk]$/.test(part)) continue
    const word = part.replace(/\d+/g, "")
    for (const [digits] of part.matchAll(/\d+/g)) if (digits.length <= 3) version.push(Number(digits))
    if (word !== "" && (i === 0 || word.length > 1) && !FORM.has(word)) words.push(word)
  }
  return { plain: parts.join("-"), words, version }
}

/** Positive if `a` is newer than `b`. */
export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
