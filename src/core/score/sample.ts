// Draws a text [V13]: a number from 0 to 1 that follows from it alone, so that anyone can check the draw, and a larger sample contains a
// smaller one.

/** The hexadecimal digits that count: as many as a number holds exactly. */
const DIGITS = 13

/** `digest`: the SHA-256 of the text, as hex. */
export const drawOf = (digest: string): number => Number.parseInt(digest.slice(0, DIGITS), 16) / 16 ** DIGITS
