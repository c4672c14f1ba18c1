// browser.click [T25]: a click may submit the page's content, so it counts as leaving the run and as a write.

import type { Tool } from "../../ports/tool.ts"
import { ACTS, actOf, browserOf, TARGET, told } from "./browser-page.ts"

export const browserClick: Tool = {
  ...ACTS,
  name: "browser.click",
  label: "Click",
  description:
    "Click a link, button or field on the open page, by selector or label, and wait until the page rests. Windows that it opens are closed and their addresses reported.",
  parameters: { type: "object", properties: { ...TARGET }, additionalProperties: false },
  // Includes starting a browser, loading a slow page, and waiting for one that does not respond.
  timeout: 60_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    return told(await browserOf(powers, "browser.click").click(actOf(params), signal), powers)
  },
}
