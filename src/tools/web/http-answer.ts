// Renders an HTTP answer as text for a model: small JSON is pretty-printed, text is decoded by its charset, and other bodies are described
// by their size.

import { NO_SECRETS } from "../../core/secrets/redact.ts"
import type { NetAnswer } from "../../ports/net.ts"
import { OutsideText } from "../../ports/outside.ts"
import type { ToolPowers } from "../../ports/tool.ts"

const TEXT =
  /^(text\/|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|graphql|sql|x-www-form-urlencoded|x-ndjson)\b|image\/svg\+xml)/

export const mediaType = (answer: NetAnswer): string => (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

export function isText(answer: NetAnswer): boolean {
  const type = mediaType(answer)
  return type === "" ? !answer.body.head().includes(0) : TEXT.test(type)
}

export const decoded = (answer: NetAnswer): OutsideText => answer.body.text(charsetOf(answer))

/** In the order that browsers use: byte order mark, header, then the declaration near the start of the page. */
function charsetOf({ headers, body }: NetAnswer): string {
  const head = body.head()
  const [first, second] = head
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  const type = headers["content-type"] ?? ""
  const said = /charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1]
  if (said !== undefined || !/^(text\/html|[\w./+-]*xml)\b/i.test(type)) return said ?? "utf-8"
  const start = new TextDecoder("latin1").decode(head.subarray(0, 1_024))
  const own = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w-]+)/i.exec(start) ?? /<meta\s[^>]*?charset\s*=\s*["']?([\w-]+)/i.exec(start)
  // A page in UTF-16 cannot declare its charset in readable ASCII, so such a declaration is wrong.
  return own?.[1] === undefined || /^utf-16/i.test(own[1]) ? "utf-8" : own[1]
}

export function answerText(answer: NetAnswer): OutsideText {
  if (answer.body.size === 0) return new OutsideText(`[${answer.status}, no body]`)
  if (!isText(answer)) return new OutsideText(`[${mediaType(answer) || "no content type"}, ${answer.body.size} bytes: not text]`)
  const text = decoded(answer)
  return /\bjson$/.test(mediaType(answer)) ? text.setOut() : text
}

const BEGINNING = 2_000

/** `404 from https://…`, followed by the start of the body without the tenant's secrets. */
export const failure = (answer: NetAnswer, { redactor }: Pick<ToolPowers, "redactor">, text = answerText(answer)): string =>
  `${answer.status} from ${answer.url}\n${text.beginning(BEGINNING, redactor?.() ?? NO_SECRETS)}`
