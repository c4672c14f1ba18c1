// Cuts a text for a row or a line to at most this many characters, without splitting one.

export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most
  return text.slice(0, end)
}
