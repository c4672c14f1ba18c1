// Calls the three web search providers [T22], which all return the same kind of rows.

import { isObject } from "../../core/json.ts"
import type { NetRequest } from "../../ports/net.ts"
import type { SearchService } from "../../ports/tenant/settings.ts"
import { lazy } from "../../core/lazy.ts"

const htmlTree = lazy(() => import("./html-tree.ts"))

export interface SearchRow {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

interface Provider {
  request(query: string, limit: number, key: string, base: string | undefined): NetRequest
  /** Where the list is in the provider's answer. */
  list(answer: Record<string, unknown>): unknown
  /** The member of a row that holds the page's summary. */
  readonly snippet: string
}

export const PROVIDERS: Readonly<Record<SearchService["provider"], Provider>> = {
  brave: {
    request: (query, limit, key, base = "https://api.search.brave.com/res/v1") => ({
      url: `${base}/web/search?${new URLSearchParams({ q: query, count: String(limit) }).toString()}`,
      headers: { accept: "application/json" },
      secretHeaders: { "x-subscription-token": key },
    }),
    list: ({ web }) => (isObject(web) ? web["results"] : undefined),
    snippet: "description",
  },
  tavily: {
    request: (query, limit, key, base = "https://api.tavily.com") => ({
      url: `${base}/search`,
      method: "POST",
      headers: { "content-type": "application/json" },
      secretHeaders: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: limit }),
    }),
    list: ({ results }) => results,
    snippet: "content",
  },
  searxng: {
    request: (query, _limit, key, base) => {
      if (base === undefined) throw new Error("SearXNG needs its baseUrl: an administrator sets it with PUT /v1/settings/services")
      return {
        url: `${base}/search?${new URLSearchParams({ q: query, format: "json" }).toString()}`,
        headers: { accept: "application/json" },
        secretHeaders: { authorization: `Bearer ${key}` },
      }
    },
    list: ({ results }) => results,
    snippet: "content",
  },
}

/** Rows without a title or an address are dropped. */
export async function rowsOf(provider: Provider, answer: unknown, limit: number): Promise<readonly SearchRow[]> {
  const { withoutEntities } = await htmlTree()
  const plain = (text: unknown): string => textOf(text, withoutEntities)
  const list = isObject(answer) ? provider.list(answer) : undefined
  const rows: SearchRow[] = []
  for (const row of Array.isArray(list) ? list : []) {
    if (rows.length === limit) break
    if (!isObject(row) || typeof row["url"] !== "string" || typeof row["title"] !== "string") continue
    rows.push({ title: plain(row["title"]), url: row["url"], snippet: plain(row[provider.snippet]) })
  }
  return rows
}

/** Brave highlights the matched words and escapes text as HTML. */
const textOf = (text: unknown, withoutEntities: (text: string) => string): string =>
  typeof text === "string"
    ? withoutEntities(text.replace(/<[^<>]*>/g, ""))
        .replace(/\s+/g, " ")
        .trim()
    : ""
