// browser.type [T25]: the page may read typed text at once, so the call counts as leaving the run and as a write.

import type { Tool } from "../../ports/tool.ts"
import { ACTS, actOf, browserOf, TARGET, told } from "./browser-page.ts"
import { string } from "../files/workspace-file.ts"

export const browserType: Tool = {
  ...ACTS,
  name: "browser.type",
  label: "Type",
  description: "Type into a field of the open page, by selector or label; in a list, choose an entry by its words. Replaces what is in it.",
  parameters: {
    type: "object",
    properties: {
      ...TARGET,
      text: { type: "string", maxLength: 20_000, description: "The text to type; an empty text clears the field." },
      append: { type: "boolean", description: "Add to what is in the field. Default: false." },
      submit: { type: "boolean", description: "Press Enter afterwards. Default: false." },
    },
    required: ["text"],
    additionalProperties: false,
  },
  // Includes starting a browser, loading a slow page, and waiting for one that does not respond.
  timeout: 60_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    const { append, submit } = params
    const how = { text: string(params, "text"), append: append === true, submit: submit === true }
    return told(await browserOf(powers, "browser.type").type({ ...actOf(params), ...how }, signal), powers)
  },
}
