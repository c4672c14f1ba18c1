// browser.content [T25]: the open page as it stands now, scripts run, made into something to read.

import type { Tool } from "../../ports/tool.ts"
import { browserOf, told } from "./browser-page.ts"
import { htmlToMarkdown } from "../web/html-markdown.ts"

export const browserContent: Tool = {
  name: "browser.content",
  label: "Read page",
  description:
    "Read the open page as it stands now. as: markdown (default), text, html, or controls: its links, buttons and fields with a selector for each.",
  parameters: {
    type: "object",
    properties: {
      as: { type: "string", enum: ["markdown", "text", "html", "controls"], description: "Default: markdown." },
      selector: { type: "string", minLength: 1, maxLength: 1_000, description: "Only this element (CSS). Default: the whole page." },
    },
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent"],
  groups: ["web"],
  untrusted: true,
  // A page's beginning says what it is.
  truncate: "head",

  async execute(_callId, { as, selector }, signal, _onUpdate, powers) {
    const form = as === "text" || as === "html" || as === "controls" ? as : "markdown"
    const of = typeof selector === "string" ? selector : undefined
    const page = await browserOf(powers, "browser.content").content(form === "markdown" ? "html" : form, of, signal)
    const body = form === "markdown" ? htmlToMarkdown(page.body, page.url).markdown : page.body
    const rest = page.cut ? `\n\n[the page goes on: its first ${page.body.length} characters were read]` : ""
    return told(page, `${body || (form === "controls" ? "[the page has no controls]" : "[the page has no text]")}${rest}`)
  },
}
