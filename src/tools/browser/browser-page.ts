// Defines the shared parts of the browser.* tools [T25]: their arguments, and a page's text for a model.

import { defined } from "../../core/defined.ts"
import type { JsonObject, JsonSchema } from "../../core/json.ts"
import { beginning } from "../../core/secrets/beginning.ts"
import { NO_SECRETS } from "../../core/secrets/redact.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Browser, PageAct, PageSeen } from "../../ports/browser.ts"
import { text, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"

export const BROWSER_TOOL: Pick<ToolSpec, "contexts" | "groups" | "untrusted"> = { contexts: ["agent"], groups: ["web"], untrusted: true }

/** The properties shared by the tools that change something. */
export const ACTS: Pick<ToolSpec, "effect" | "reach"> & typeof BROWSER_TOOL = {
  ...BROWSER_TOOL,
  effect: "write",
  reach: { to: { arg: "page" }, method: { fixed: "POST" } },
}

export const TARGET: Readonly<Record<string, JsonSchema>> = {
  selector: {
    type: "string",
    minLength: 1,
    maxLength: 1_000,
    description: "A CSS selector. browser.content with as: controls lists them.",
  },
  label: { type: "string", minLength: 1, maxLength: 200, description: "Instead of a selector: the element's visible text." },
  page: {
    type: "string",
    maxLength: 2_000,
    description: "The address of the page it is meant for; on another host nothing is done. Says where the call goes.",
  },
}

const MOST_SHOWN = 500 // limit: characters of a page's title and of a note → the rest is cut

export function browserOf({ browser }: ToolPowers, tool: string): Browser {
  if (!browser) throw new Error(`${tool} has no browser here: it works in an agent's session, where Browser Rendering is bound`)
  return browser
}

export function actOf(params: JsonObject): PageAct {
  const { selector, label, page } = params
  if (typeof selector !== "string" && typeof label !== "string")
    throw new Error('name the element: give "selector", or "label" with its visible text')
  return {
    ...(typeof selector === "string" ? { selector } : typeof label === "string" ? { label } : {}),
    ...(typeof page === "string" ? { page } : {}),
  }
}

/** The page's current address, followed by the requested content. */
export function told(seen: PageSeen, { redactor }: ToolPowers, body?: string, more: JsonObject = {}): ToolOutcome {
  const { url, status } = seen
  const short = (text: string): string => beginning(text, MOST_SHOWN, redactor?.() ?? NO_SECRETS)
  const title = short(seen.title)
  const notes = seen.notes.map(short)
  const lines = [
    `Page: ${url}${status === undefined || status < 400 ? "" : ` (status ${status})`}`,
    ...(title === "" ? [] : [`Title: ${title}`]),
    ...notes.map((note) => `Note: ${note}`),
  ]
  const details = { url, title, ...defined({ status }), notes: [...notes], ...more }
  return { ...text([lines.join("\n"), ...(body === undefined ? [] : [body])].join("\n\n"), details), source: url }
}
