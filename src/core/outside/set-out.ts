// Indents JSON from outside, so that models can work with it by line numbers [N4]. Only small and shallow JSON is indented: each level adds
// two spaces to every line, so 12 KB of 3,000 levels would become 18 MB.

/** Characters of the text, and of what it becomes. */
const MOST_CHARS = 256 * 1024 // limit: characters of JSON from outside that is set out on lines → it is shown as it came
const MOST_RESULT = 512 * 1024 // limit: characters of it once it is set out → it is shown as it came
const MOST_LEVELS = 32 // limit: levels of JSON from outside that is set out → it is shown as it came

/** The indented text if it stays small, otherwise the text unchanged. */
export function setOut(text: string): string {
  // JavaScript would round a number this large to a different number.
  if (text.length > MOST_CHARS || /\d{16}/.test(text) || !staysSmall(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** A value as indented JSON, or on one line if the indented form would be large. */
export function setOutValue(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) return ""
  return text.length > MOST_CHARS || !staysSmall(text) ? text : JSON.stringify(value, null, 2)
}

/** Whether every comma and bracket, each a line with its indent, leaves the text within its bounds. Of what is no JSON it says anything. */
function staysSmall(text: string): boolean {
  let levels = 0
  let size = text.length
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i)
        continue
      case "[":
      case "{":
        if (++levels > MOST_LEVELS) return false
        break
      case "]":
      case "}":
        levels--
        break
      case ",":
        break
      case ":":
        size++
        continue
      default:
        continue
    }
    size += 1 + 2 * Math.max(levels, 0)
    if (size > MOST_RESULT) return false
  }
  return true
}

function endOfString(text: string, from: number): number {
  let i = from + 1
  while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1
  return i
}
