// Cuts a long text into pieces short enough for one memory entry each [T24]: between paragraphs if possible, else between lines, sentences
// or words. The pieces joined are the text.

/** About 400 words: enough to find and read at once. */
export const CHUNK_CHARS = 2400 // limit: characters of a piece of a text in the memory → the text continues in the next piece
/** The earliest cut, as a share of the size: an earlier one would make pieces too short. */
const EARLIEST = 0.4

const SEAMS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?…。！？]\s/g, /\s/g]

export function chunks(text: string, size = CHUNK_CHARS): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > size) {
    const at = seamOf(rest, size)
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  if (rest !== "") pieces.push(rest)
  return pieces
}

function seamOf(text: string, size: number): number {
  const window = text.slice(0, size)
  for (const seam of SEAMS) {
    const last = [...window.matchAll(seam)].at(-1)
    const at = last === undefined ? 0 : last.index + last[0].length
    if (at >= size * EARLIEST) return at
  }
  // Never cut between the halves of a surrogate pair.
  return /[\ud800-\udbff]$/.test(window) ? size - 1 : size
}
