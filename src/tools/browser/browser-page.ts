// What the browser.* tools share [T25]: their arguments, and how a page is told to a model.

import type { JsonObject, JsonSchema } from "../../core/json.ts"
import type { Browser, PageAct, PageSeen } from "../../ports/browser.ts"
import { text, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"

export const TARGET: Readonly<Record<string, JsonSchema>> = {
  selector: {
    type: "string",
    minLength: 1,
    maxLength: 1_000,
    description: "A CSS selector. browser.content with as: controls lists them.",
  },
  label: { type: "string", minLength: 1, maxLength: 200, description: "Instead of a selector: the words that stand on it." },
  page: {
    type: "string",
    maxLength: 2_000,
    description: "The address of the page it is meant for; on another host nothing is done. Says where the call goes.",
  },
}

export function browserOf({ browser }: ToolPowers, tool: string): Browser {
  if (!browser) throw new Error(`${tool} has no browser here: it works in an agent's session, where Browser Rendering is bound`)
  return browser
}

export function actOf(params: JsonObject): PageAct {
  const { selector, label, page } = params
  if (typeof selector !== "string" && typeof label !== "string")
    throw new Error('say what is meant: "selector", or the "label" that stands on it')
  return {
    ...(typeof selector === "string" ? { selector } : typeof label === "string" ? { label } : {}),
    ...(typeof page === "string" ? { page } : {}),
  }
}

/** Where the page is now, and then what was asked for. */
export function told(seen: PageSeen, body?: string, more: JsonObject = {}): ToolOutcome {
  const { url, title, status, notes } = seen
  const lines = [
    `Page: ${url}${status === undefined || status < 400 ? "" : ` (status ${status})`}`,
    ...(title === "" ? [] : [`Title: ${title}`]),
    ...notes.map((note) => `Note: ${note}`),
  ]
  const details = { url, title, ...(status === undefined ? {} : { status }), notes: [...notes], ...more }
  return { ...text([lines.join("\n"), ...(body === undefined ? [] : [body])].join("\n\n"), details), source: url }
}
