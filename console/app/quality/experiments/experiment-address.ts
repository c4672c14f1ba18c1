// Where the form of a new experiment is, with what the page that leads there has chosen.

import { addressOf } from "../../shell/place.ts"

/** `model`: empty, or absent: the form asks. */
export function experimentAddress(flow: string, agent?: string, model?: string): string {
  const query = new URLSearchParams({ new: "1", flow })
  if (agent !== undefined) query.set("agent", agent)
  if (model !== undefined && model !== "") query.set("model", model)
  return `${addressOf("quality", "experiments")}?${query.toString()}`
}
