// web.search: searches the web with the provider that the tenant chose [T22]. Without a key the tool does not exist.

import { text, type Tool } from "../../ports/tool.ts"
import { decoded, failure } from "./http-answer.ts"
import { PROVIDERS, rowsOf } from "./search-providers.ts"

const SCOPE = "web_search"

export const webSearch: Tool = {
  name: "web.search",
  label: "Search the web",
  description: "Search the web. Answers titles, addresses and excerpts; read a page with web.fetch.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 1_000, description: "What to look for." },
      limit: { type: "integer", minimum: 1, maximum: 20, description: "How many results. Default: 10." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent"],
  groups: ["web"],
  untrusted: true,
  // Not private: the key gives access to public data only.
  requiredSecretScopes: [SCOPE],
  // The tenant, not the call, chooses the destination, so no host list applies.
  reach: { method: { fixed: "GET" } },
  truncate: "head",

  async execute(_callId, { query, limit }, signal, _onUpdate, powers) {
    const { net, secrets, services } = powers
    const key = await secrets?.get(SCOPE)
    if (!net || key === undefined) throw new Error(`web.search needs the secret "${SCOPE}": the key of a search provider`)
    const service = (await services?.get())?.search ?? { provider: "brave" as const }
    const provider = PROVIDERS[service.provider]
    const most = typeof limit === "number" ? limit : 10
    const answer = await net.fetch(
      provider.request(typeof query === "string" ? query : "", most, key, service.baseUrl?.replace(/\/$/, "")),
      signal,
    )
    if (answer.status !== 200) throw new Error(`${service.provider} did not search: ${failure(answer, powers)}`)
    const body = await decoded(answer).json(signal)
    if (!body.ok) throw new Error(`${service.provider} answered something that ${body.error}`)
    const rows = await rowsOf(provider, body.value, most)
    const shown = rows.map(({ title, url, snippet }, i) => `${i + 1}. ${title}\n   ${url}${snippet === "" ? "" : `\n   ${snippet}`}`)
    return {
      ...text(
        shown.join("\n\n") || "[nothing was found]",
        rows.map((row) => ({ ...row })),
      ),
      source: service.provider,
    }
  },
}
