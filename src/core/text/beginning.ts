// The beginning of a text from outside, for a message. It ends between words, because the redactor reads the message later: of a secret that is cut
// in two, it would know neither half [T32].

const APART = /[\s"'`<>,;()[\]{}]/

/** At most so many characters, and "…" for the rest. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text
  let end = most
  while (end > 0 && !APART.test(text.charAt(end))) end--
  return `${text.slice(0, end).trimEnd()}…`
}
