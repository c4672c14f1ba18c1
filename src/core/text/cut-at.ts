// The beginning of a text for a row or a line: at most so many characters, and no half of a character at its end.

export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most
  return text.slice(0, end)
}
