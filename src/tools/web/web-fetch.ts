// web.fetch: fetches a page or an API of the public web [T21]. The guarded fetch judges the address at each hop; this file turns the
// arguments into a request and the page into readable text.

import { defined } from "../../core/defined.ts"
import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import { isObject, type JsonObject } from "../../core/json.ts"
import type { Pieces } from "../../core/pieces.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import type { NetAnswer, NetRequest } from "../../ports/net.ts"
import { OutsideText } from "../../ports/outside.ts"
import { text, ToolFailure, type Tool } from "../../ports/tool.ts"
import { answerText, decoded, failure, mediaType } from "./http-answer.ts"
import { lazy } from "../../core/lazy.ts"

const html = lazy(() => import("./html-markdown.ts"))

const TIMEOUT = 10_000
/** Reading a page takes up to a third of a second per million characters, in pieces [N4]. */
const MOST_HTML = 2_000_000 // limit: characters read of a page → the rest is not read

export const webFetch: Tool = {
  name: "web.fetch",
  label: "Fetch",
  description:
    "Fetch a public web address (http or https). HTML comes back as Markdown, JSON and text as they are. Private addresses are refused.",
  parameters: {
    type: "object",
    properties: {
      url: { type: "string", maxLength: 8_192, description: "The address, with https:// in front." },
      method: { type: "string", enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], description: "Default: GET." },
      headers: {
        type: "object",
        maxProperties: 100,
        additionalProperties: { type: "string", maxLength: 8_192 },
        description: "Header names and values.",
      },
      body: {
        type: ["string", "object", "array"],
        maxLength: MAX_ARG_BYTES,
        description: "What to send. Anything but a text is sent as JSON.",
      },
      timeout: { type: "integer", minimum: 1, maximum: 86_400_000, description: "Milliseconds. Default: 10000." },
    },
    required: ["url"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent"],
  groups: ["web"],
  untrusted: true,
  reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" }, headers: { arg: "headers" } },
  timeout: TIMEOUT,
  // The start of a page matters most.
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    const { net, redactor } = powers
    if (!net) throw new Error("web.fetch cannot reach the network from here")
    const answer = await net.fetch(requestOf(params), signal)
    const details = { status: answer.status, url: answer.url, type: mediaType(answer), bytes: answer.body.size }
    const page = /^(text\/html|application\/xhtml\+xml)$/.test(mediaType(answer))
      ? await pageOf(answer, redactor?.() ?? NO_SECRETS, signal)
      : undefined
    if (answer.status >= 400)
      throw new ToolFailure(text(failure(answer, powers, page && new OutsideText(page.whole))).content, details, answer.url)
    if (!page) return { ...text(answerText(answer).whole(), details), source: answer.url }
    const { title, whole } = page
    return { ...text(whole || "[the page has no text]", { ...details, ...defined({ title }) }), source: answer.url }
  },
}

interface PageText {
  readonly whole: string
  readonly title?: string
}

/** A secret of several lines is on one line in Markdown, where it would not be known: it is taken out of the page before. */
async function pageOf(answer: NetAnswer, redactor: Redactor, signal: AbortSignal): Promise<PageText> {
  const { htmlToMarkdown } = await html()
  const page = decoded(answer)
  const isCut = page.length > MOST_HTML
  const { title, markdown } = await page.through(function* (text): ReturnType<typeof htmlToMarkdown> {
    return yield* htmlToMarkdown(yield* withoutSecrets(text, redactor), answer.url)
  }, signal)
  const rest = isCut ? [`[truncated: the first ${MOST_HTML} characters of the page were read]`] : []
  const whole = [...(title === undefined ? [] : [`Title: ${title}`]), markdown, ...rest].filter((part) => part !== "").join("\n\n")
  return { whole, ...defined({ title }) }
}

function* withoutSecrets(text: string, redactor: Redactor): Pieces<string> {
  return text.length > MOST_HTML ? yield* redactor.brokenOff(text.slice(0, MOST_HTML)) : yield* redactor.pieces(text)
}

function requestOf({ url, method, headers, body, timeout }: JsonObject): NetRequest {
  const verb = typeof method === "string" ? method : "GET"
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) if (typeof value === "string") given[name] = value
  const isLooking = verb === "GET" || verb === "HEAD"
  if (body !== undefined && isLooking) throw new Error(`a ${verb} has no body: give another method, or put it into the address`)
  const isJson = body !== undefined && typeof body !== "string"
  const hasType = Object.keys(given).some((name) => name.toLowerCase() === "content-type")
  return {
    url: typeof url === "string" ? url : "",
    method: verb,
    headers: {
      accept: "text/html, text/markdown, application/json, text/plain, */*;q=0.5",
      ...(isJson && !hasType ? { "content-type": "application/json" } : {}),
      ...given,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : String(body) }),
    // The tool's own limit is the documented one; this timeout only ends a request that no caller waits for anymore.
    timeout: (typeof timeout === "number" ? timeout : TIMEOUT) + 1_000,
  }
}
