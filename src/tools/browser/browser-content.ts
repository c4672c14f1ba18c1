// browser.content [T25]: the open page in its current state, after its scripts ran, as readable text.

import { beginning } from "../../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { Breath } from "../../ports/breath.ts"
import type { PageContent } from "../../ports/browser.ts"
import type { Tool } from "../../ports/tool.ts"
import { BROWSER_TOOL, browserOf, told } from "./browser-page.ts"
import { lazy } from "../../core/lazy.ts"

/** Characters of one control: its selector, its label, its value. */
const MOST_LINE = 1_000 // limit: characters of a control of a page → the rest is cut

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
    const shown = await shownOf(page, form, powers.redactor?.() ?? NO_SECRETS, signal)
    const body = form === "markdown" ? await markdownOf({ ...page, body: shown }, signal) : shown
    const rest = page.cut ? `\n\n[truncated: the first ${page.body.length} characters of the page were read]` : ""
    return told(page, powers, `${body || (form === "controls" ? "[the page has no controls]" : "[the page has no text]")}${rest}`)
  },
}

/** A secret that ends beyond what was read, or beyond what a line shows, would be known in neither half [T32]. */
async function shownOf({ body, cut }: PageContent, form: string, redactor: Redactor, signal: AbortSignal): Promise<string> {
  if (!cut && form === "text") return body
  const clean = await new Breath(signal).through(cut ? redactor.brokenOff(body) : redactor.pieces(body))
  return form === "controls" ? clean.split("\n").map(shortLine).join("\n") : clean
}

const shortLine = (line: string): string => beginning(line, MOST_LINE)

async function markdownOf(
  { body, url }: { readonly body: string; readonly url: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  const { htmlToMarkdown } = await html()
  return (await new Breath(signal).through(htmlToMarkdown(body, url))).markdown
}
