// browser.eval [T25]: runs a script in the open page. No profile includes it: a tenant's policy must allow it by its exact name.

import type { Tool } from "../../ports/tool.ts"
import { ACTS, browserOf, TARGET, told } from "./browser-page.ts"
import { string } from "../files/workspace-file.ts"

export const browserEval: Tool = {
  ...ACTS,
  name: "browser.eval",
  label: "Run in page",
  description: "Evaluate a JavaScript expression in the open page; its value, awaited, comes back as JSON.",
  parameters: {
    type: "object",
    properties: {
      script: { type: "string", minLength: 1, maxLength: 20_000, description: "The expression." },
      page: TARGET["page"] ?? {},
    },
    required: ["script"],
    additionalProperties: false,
  },
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    const { page } = params
    const on = typeof page === "string" ? page : undefined
    const { value, ...seen } = await browserOf(powers, "browser.eval").evaluate(string(params, "script"), on, signal)
    return told(seen, powers, value)
  },
}
