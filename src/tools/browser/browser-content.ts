// browser.content [T25]: the open page in its current state, after its scripts ran, as readable text.

import { Breath } from "../../ports/breath.ts"
import type { Tool } from "../../ports/tool.ts"
import { BROWSER_TOOL, browserOf, told } from "./browser-page.ts"
import { lazy } from "../../core/lazy.ts"

const html = lazy(() => import("../web/html-markdown.ts"))

export const browserContent: Tool = {
  ...BROWSER_TOOL,
  name: "browser.content",
  label: "Read page",
  description:
    "Read the open page in its current state. as: markdown (default), text, html, or controls: its links, buttons and fields with a selector for each.",
  parameters: {
    type: "object",
    properties: {
      as: { type: "string", enum: ["markdown", "text", "html", "controls"], description: "Default: markdown." },
      selector: { type: "string", minLength: 1, maxLength: 1_000, description: "Only this element (CSS). Default: the whole page." },
    },
    additionalProperties: false,
  },
  effect: "read",
  // The start of a page matters most.
  truncate: "head",

  async execute(_callId, { as, selector }, signal, _onUpdate, powers) {
    const form = as === "text" || as === "html" || as === "controls" ? as : "markdown"
    const of = typeof selector === "string" ? selector : undefined
    const page = await browserOf(powers, "browser.content").content(form === "markdown" ? "html" : form, of, signal)
    const body = form === "markdown" ? await markdownOf(page, signal) : page.body
    const rest = page.cut ? `\n\n[truncated: the first ${page.body.length} characters of the page were read]` : ""
    return told(page, `${body || (form === "controls" ? "[the page has no controls]" : "[the page has no text]")}${rest}`)
  },
}

async function markdownOf(
  { body, url }: { readonly body: string; readonly url: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  const { htmlToMarkdown } = await html()
  return (await new Breath(signal).through(htmlToMarkdown(body, url))).markdown
}
