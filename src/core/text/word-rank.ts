// Ranks short texts by how well they fit the words of a query: BM25, pure and linear in the texts. Words are compared without their usual
// endings, and a name's parts count: `createInvoice` is found by "invoices".

/** Limit: words of a search for tools → further words do not count. */
export const MAX_QUERY_WORDS = 32

export interface Ranked {
  /** How often each word occurs; a word of the name counts several times. */
  readonly words: ReadonlyMap<string, number>
  readonly length: number
}

/** BM25's usual constants: how soon repeating a word stops to count, and how much long texts lose. */
const SATURATION = 1.2
const LENGTH_LOSS = 0.75
/** A word of the name says more than a word of the description. */
const NAME_WEIGHT = 4

/** Words that say nothing about what is searched for. */
const EMPTY: ReadonlySet<string> = new Set(
  "a an and are as at by for from how in is it me my of on or the this that to want with you".split(" "),
)

export function ranked(name: string, description: string): Ranked {
  const words = new Map<string, number>()
  let length = 0
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) {
      words.set(word, (words.get(word) ?? 0) + weight)
      length += 1
    }
  }
  add(name, NAME_WEIGHT)
  add(description, 1)
  return { words, length }
}

/** The indexes of the texts that share a word with the query, best first; ties keep their order. */
export function rank(texts: readonly Ranked[], query: string): number[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter((word) => !EMPTY.has(word))
  const asked = (telling.length > 0 ? telling : words).slice(0, MAX_QUERY_WORDS)
  const average = texts.reduce((n, t) => n + t.length, 0) / Math.max(1, texts.length)
  const weights = asked.map((word) => {
    const having = texts.reduce((n, t) => n + (t.words.has(word) ? 1 : 0), 0)
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
  })
  const scores = texts.map(({ words, length }) =>
    asked.reduce((score, word, i) => {
      const count = words.get(word) ?? 0
      const norm = SATURATION * (1 - LENGTH_LOSS + (LENGTH_LOSS * length) / Math.max(1, average))
      return score + ((weights[i] ?? 0) * count * (SATURATION + 1)) / (count + norm)
    }, 0),
  )
  return scores.flatMap((score, i) => (score > 0 ? [i] : [])).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
}

/** `createInvoiceV2` → create, invoice, v2. Letters of scripts without spaces count one by one. */
function wordsOf(text: string): string[] {
  const parts = text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/\p{Ideographic}|\p{sc=Hiragana}+|\p{sc=Katakana}+|[\p{L}\p{M}\p{N}]+/gu)
  return (parts ?? []).map(stem)
}

/** Drops the commonest English endings. Both sides lose them, so a wrong cut only makes two words alike. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3).replace(/e$/, "")
  if (word.length > 4 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  const single = word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
  return single.length > 4 && single.endsWith("ed") ? single.slice(0, -2) : single.length > 4 ? single.replace(/e$/, "") : single
}
