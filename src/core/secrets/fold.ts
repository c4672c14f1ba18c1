// Folds upper and lower case for the redactor [T32].

/** The kelvin sign: the only unit beyond ASCII whose lower case is ASCII. */
export const KELVIN = 0x212a

/** A unit in lower case, if that is a single unit, so that positions stay the same. */
export function fold(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit
  const lower = String.fromCharCode(unit).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}

/** The text in lower case, unit by unit. */
export const folded = (text: string): string =>
  [...Array(text.length).keys()].map((i) => String.fromCharCode(fold(text.charCodeAt(i)))).join("")
