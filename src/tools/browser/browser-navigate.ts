// browser.navigate: opens an address in the session's own page [T25] and runs its scripts. browser.content reads the page.

import type { Tool } from "../../ports/tool.ts"
import { BROWSER_TOOL, browserOf, told } from "./browser-page.ts"
import { string } from "../files/workspace-file.ts"

export const browserNavigate: Tool = {
  ...BROWSER_TOOL,
  name: "browser.navigate",
  label: "Open page",
  description:
    "Open a public web address (http or https) in a real browser and wait until the page rests. The page stays open for browser.content, browser.click, browser.type and browser.screenshot until the session ends or two minutes pass without a call. For pages that need no scripts web.fetch is faster. Private addresses are refused.",
  parameters: {
    type: "object",
    properties: { url: { type: "string", minLength: 1, maxLength: 8_000, description: "The address, with https:// in front." } },
    required: ["url"],
    additionalProperties: false,
  },
  effect: "read",
  reach: { to: { arg: "url" }, method: { fixed: "GET" } },
  // Includes starting a browser, loading a slow page, and waiting for one that does not respond.
  timeout: 60_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    return told(await browserOf(powers, "browser.navigate").navigate(string(params, "url"), signal), powers)
  },
}
