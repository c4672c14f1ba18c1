// Cuts a text into pieces whose borders depend on the text alone, so a reader who streams it and a later reader get the same pieces. The
// first pieces are words; later pieces are longer, so that a long text has few.

/** Characters that are told word by word. */
const BY_WORDS = 1_000
/** Characters of a later piece, at least. */
const LONG_PIECE = 200
/** A piece without a space ends this many characters after the least. */
const REACH = 64
/** Characters of a piece of an answer, which is told at once. */
const ANSWER_PIECE = 400

/** The complete pieces of a text that may continue. `before`: the number of its characters that were already sent. */
export function wholePieces(text: string, before = 0): string[] {
  const pieces: string[] = []
  for (let at = 0; ;) {
    const end = endOf(text, at, before)
    if (end === undefined) return pieces
    pieces.push(text.slice(at, end))
    at = end
  }
}

/** All pieces of a complete text. */
export function allPieces(text: string): string[] {
  const pieces = wholePieces(text)
  const told = pieces.reduce((sum, { length }) => sum + length, 0)
  return told === text.length ? pieces : [...pieces, text.slice(told)]
}

/** An answer in pieces of equal size that split no character, so a client may write each piece as UTF-8. */
export function answerPieces(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const end = wholeEnd(text, at + ANSWER_PIECE)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

/** `end`, or the place after it if that would split a pair of surrogates. */
const wholeEnd = (text: string, end: number): number => (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end)

/** undefined: the piece may go on. */
function endOf(text: string, at: number, before: number): number | undefined {
  const least = before + at < BY_WORDS ? 1 : LONG_PIECE
  const most = at + least + REACH
  for (let i = at + least - 1; i < Math.min(most, text.length); i++) if (/\s/.test(text.charAt(i))) return i + 1
  const end = wholeEnd(text, most)
  return text.length < end ? undefined : end
}
