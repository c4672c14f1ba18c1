// What came back from outside, as text for a model: JSON set out in lines, text decoded by its charset, anything else named and measured.

import type { NetAnswer } from "../../ports/net.ts"

const TEXT =
  /^(text\/|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|graphql|sql|x-www-form-urlencoded|x-ndjson)\b|image\/svg\+xml)/

export const mediaType = (answer: NetAnswer): string => (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

export function isText(answer: NetAnswer): boolean {
  const type = mediaType(answer)
  return type === "" ? !answer.body.subarray(0, 4_096).includes(0) : TEXT.test(type)
}

export function decoded(answer: NetAnswer): string {
  try {
    return new TextDecoder(charsetOf(answer)).decode(answer.body)
  } catch {
    // A charset that nobody knows.
    return new TextDecoder().decode(answer.body)
  }
}

/** In the order of browsers: the marks at the beginning, the header, what a page says of itself near its beginning. */
function charsetOf({ headers, body }: NetAnswer): string {
  const [first, second] = body
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  const type = headers["content-type"] ?? ""
  const said = /charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1]
  if (said !== undefined || !/^(text\/html|[\w./+-]*xml)\b/i.test(type)) return said ?? "utf-8"
  const beginning = new TextDecoder("latin1").decode(body.subarray(0, 1_024))
  const own =
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w-]+)/i.exec(beginning) ?? /<meta\s[^>]*?charset\s*=\s*["']?([\w-]+)/i.exec(beginning)
  // Nobody could have read a page of two bytes a letter as far as its own word.
  return own?.[1] === undefined || /^utf-16/i.test(own[1]) ? "utf-8" : own[1]
}

export function answerText(answer: NetAnswer): string {
  if (answer.body.byteLength === 0) return `[${answer.status}, no body]`
  if (!isText(answer)) return `[${mediaType(answer) || "no content type"}, ${answer.body.byteLength} bytes: not text]`
  const text = decoded(answer)
  return /\bjson$/.test(mediaType(answer)) ? setOut(text) : text
}

/** A number beyond what JavaScript can hold would come out as another one. */
function setOut(text: string): string {
  if (/\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const BEGINNING = 2_000

/** `404 from https://…`, and how its body begins. */
export function failure(answer: NetAnswer, text = answerText(answer)): string {
  return `${answer.status} from ${answer.url}\n${text.length > BEGINNING ? `${text.slice(0, BEGINNING)}…` : text}`
}
