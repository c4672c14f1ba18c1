// What came back from outside, as text for a model: JSON set out in lines, text decoded by its charset, anything else named and measured.

import type { NetAnswer } from "../ports/net.ts"

const TEXT =
  /^(text\/|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|graphql|sql|x-www-form-urlencoded|x-ndjson)\b|image\/svg\+xml)/

export const mediaType = (answer: NetAnswer): string => (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

export function isText(answer: NetAnswer): boolean {
  const type = mediaType(answer)
  return type === "" ? !answer.body.subarray(0, 4_096).includes(0) : TEXT.test(type)
}

export function decoded({ headers, body }: NetAnswer): string {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8"
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    // A charset that nobody knows.
    return new TextDecoder().decode(body)
  }
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

/** `404 of https://…`, and how its body begins. */
export function failure(answer: NetAnswer): string {
  const text = answerText(answer)
  return `${answer.status} from ${answer.url}\n${text.length > BEGINNING ? `${text.slice(0, BEGINNING)}…` : text}`
}
