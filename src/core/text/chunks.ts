// A long text in pieces, each short enough to be one entry of memory [T24]: cut between paragraphs where it can be, else between lines,
// sentences, words; joined again they are the text.

/** About 400 words: as much as one finds and reads at once. */
export const CHUNK_CHARS = 2400
/** A cut further in front than this would make pieces too short. */
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
  // Never between the halves of a character.
  return /[\ud800-\udbff]$/.test(window) ? size - 1 : size
}
