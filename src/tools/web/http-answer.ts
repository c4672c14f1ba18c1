// An HTTP answer as text for a model: JSON is pretty-printed, text is decoded by its charset, other bodies are named with their size.

import type { NetAnswer } from "../../ports/net.ts"
import { beginning } from "../../core/text/beginning.ts"

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
    // An unknown charset.
    return new TextDecoder().decode(answer.body)
  }
}

/** In the order that browsers use: byte order mark, header, then the declaration near the start of the page. */
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
  // A page in UTF-16 cannot declare its charset in readable ASCII, so such a declaration is wrong.
  return own?.[1] === undefined || /^utf-16/i.test(own[1]) ? "utf-8" : own[1]
}

export function answerText(answer: NetAnswer): string {
  if (answer.body.byteLength === 0) return `[${answer.status}, no body]`
  if (!isText(answer)) return `[${mediaType(answer) || "no content type"}, ${answer.body.byteLength} bytes: not text]`
  const text = decoded(answer)
  return /\bjson$/.test(mediaType(answer)) ? setOut(text) : text
}

/** JavaScript would round a number this large to a different number. */
function setOut(text: string): string {
  if (/\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const BEGINNING = 2_000

/** `404 from https://…`, followed by the start of the body. */
export function failure(answer: NetAnswer, text = answerText(answer)): string {
  return `${answer.status} from ${answer.url}\n${beginning(text, BEGINNING)}`
}
