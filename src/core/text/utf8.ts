// Computes the length of a text in UTF-8 by hand, because core has no TextEncoder. A lone surrogate counts 3, like the replacement character.

export function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += utf8Width(text, i)
  return bytes
}

/** The bytes that the code unit at `i` adds. The first half of a surrogate pair counts 4, the second 0. */
export function utf8Width(text: string, i: number): number {
  const unit = text.charCodeAt(i)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) return 4
  return isLow(unit) && i > 0 && isHigh(text.charCodeAt(i - 1)) ? 0 : 3
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
