// Writes src/core/money/list-prices.ts, the list prices for budgets in dollars [B3], from two public tables: models.dev has precedence, and
// litellm adds the models that it lacks. `npm run prices` reads both over the network. Without a network, name copies: `npm run prices --
// --models-dev FILE --litellm FILE --date 2026-07-24`, where the date is that of the newer copy.

import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { z } from "zod"
import type { ListEntry } from "../src/core/money/list-entry.ts"

const TARGET = fileURLToPath(new URL("../src/core/money/list-prices.ts", import.meta.url))
const MODELS_DEV = "https://models.dev/api.json"
const LITELLM = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
const TIMEOUT_MS = 60_000

/** Which sellers' lists make up which table. Several hosts sell the same open model: the highest price counts. */
const TABLES = {
  anthropic: ["anthropic"],
  openai: ["openai"],
  "workers-ai": ["cloudflare-workers-ai"],
  others: [
    "google",
    "xai",
    "deepseek",
    "mistral",
    "moonshotai",
    "zai",
    "alibaba",
    "minimax",
    "cohere",
    "perplexity",
    "groq",
    "cerebras",
    "togetherai",
    "amazon-bedrock",
  ],
} as const
type Table = keyof typeof TABLES

/** Bedrock sells everyone's models; the others are listed by their makers. */
const ONLY: Readonly<Record<string, RegExp>> = { "amazon-bedrock": /^amazon\./ }
const LITELLM_TABLES: Readonly<Record<string, Table>> = {
  anthropic: "anthropic",
  openai: "openai",
  gemini: "others",
  xai: "others",
  deepseek: "others",
  moonshot: "others",
}

const price = z.number().nonnegative().optional()
const ModelsDev = z.record(
  z.string(),
  z.looseObject({
    models: z.record(
      z.string(),
      z.looseObject({
        limit: z.looseObject({ context: z.number().optional() }).optional(),
        modalities: z.looseObject({ output: z.array(z.string()).optional() }).optional(),
        cost: z
          .looseObject({
            input: price,
            output: price,
            cache_read: price,
            cache_write: price,
            tiers: z.array(z.looseObject({ tier: z.looseObject({ size: z.number() }).optional() })).optional(),
            context_over_200k: z.unknown().optional(),
          })
          .optional(),
      }),
    ),
  }),
)
const Litellm = z.record(
  z.string(),
  z.looseObject({
    litellm_provider: z.string().optional(),
    mode: z.string().optional(),
    input_cost_per_token: z.number().optional(),
    output_cost_per_token: z.number().optional(),
    cache_read_input_token_cost: z.number().nullish(),
    cache_creation_input_token_cost: z.number().nullish(),
    max_input_tokens: z.number().optional(),
    input_cost_per_token_above_200k_tokens: z.number().nullish(),
    input_cost_per_token_above_272k_tokens: z.number().nullish(),
  }),
)

type Lists = Record<Table, Map<string, ListEntry>>

async function read(from: string): Promise<unknown> {
  if (!from.startsWith("https://")) return JSON.parse(readFileSync(from, "utf8"))
  const answer = await fetch(from, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`${from} answered ${answer.status}: pass a copy as a file, see the top of scripts/prices.ts`)
  return answer.json()
}

export function listsOf(modelsDev: unknown, litellm: unknown): Lists {
  const lists: Lists = { anthropic: new Map(), openai: new Map(), "workers-ai": new Map(), others: new Map() }
  const first = ModelsDev.parse(modelsDev)
  for (const [table, sellers] of Object.entries(TABLES) as [Table, readonly string[]][])
    for (const seller of sellers)
      for (const [id, { cost, limit, modalities }] of Object.entries(first[seller]?.models ?? {})) {
        const talks = modalities?.output?.includes("text") !== false && !/embed|rerank|moderation|-tts|-image|whisper|transcri/.test(id)
        if (!talks || ONLY[seller]?.test(id) === false || !isSold(cost?.input, cost?.output)) continue
        // Above a tier's size the whole request costs more, so the window ends where the listed price ends.
        const tiers = (cost?.tiers ?? []).flatMap(({ tier }) => (tier ? [tier.size] : []))
        const sizes = [...tiers, ...(cost?.context_over_200k === undefined ? [] : [200_000])]
        const window = Math.min(limit?.context || Infinity, ...sizes)
        add(lists[table], id, {
          input: cost?.input ?? 0,
          output: cost?.output ?? 0,
          ...cached(cost?.cache_read, cost?.cache_write),
          ...(Number.isFinite(window) ? { window } : {}),
        })
      }
  for (const [name, one] of Object.entries(Litellm.parse(litellm))) {
    const table = LITELLM_TABLES[one.litellm_provider ?? ""]
    const id = name.slice(name.lastIndexOf("/") + 1)
    if (table === undefined || one.mode !== "chat" || lists[table].has(id) || id.startsWith("ft:")) continue
    const [input, output] = [perMillion(one.input_cost_per_token), perMillion(one.output_cost_per_token)]
    if (!isSold(input, output) || /audio|realtime|image|-tts|search-api/.test(id)) continue
    const above = one.input_cost_per_token_above_200k_tokens ? 200_000 : one.input_cost_per_token_above_272k_tokens ? 272_000 : Infinity
    const window = Math.min(one.max_input_tokens ?? Infinity, above)
    add(lists[table], id, {
      input: input ?? 0,
      output: output ?? 0,
      ...cached(perMillion(one.cache_read_input_token_cost), perMillion(one.cache_creation_input_token_cost)),
      ...(Number.isFinite(window) ? { window } : {}),
    })
  }
  return lists
}

/** A price of 0 is an offer of one host, and no price to keep a budget by. */
const isSold = (input: number | undefined, output: number | undefined): boolean => (input ?? 0) > 0 && output !== undefined

const perMillion = (perToken: number | null | undefined): number | undefined =>
  perToken === null || perToken === undefined ? undefined : Number((perToken * 1_000_000).toPrecision(6))

const cached = (read: number | undefined, write: number | undefined): Pick<ListEntry, "cacheRead" | "cacheWrite"> => ({
  ...(read ? { cacheRead: read } : {}),
  ...(write ? { cacheWrite: write } : {}),
})

function add(list: Map<string, ListEntry>, id: string, entry: ListEntry): void {
  const other = list.get(id)
  if (other === undefined || entry.output > other.output) list.set(id, entry)
}

function render(lists: Lists, date: string): string {
  const tables = Object.entries(lists).map(([table, list]) => {
    const rows = [...list].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([id, entry]) => `    ${JSON.stringify(id)}: ${literal(entry)},\n`)
    return `  ${/^\w+$/.test(table) ? table : JSON.stringify(table)}: {\n${rows.join("")}  },\n`
  })
  return `// List prices of models [B3], in US dollars per million tokens. \`npm run prices\` generates this file; do not edit it.
//
// Facts from models.dev and from litellm's model_prices_and_context_window.json, as they were on ${date}.

import type { ListPrices } from "./list-entry.ts"

export const LIST_DATE = ${JSON.stringify(date)}

export const LIST_PRICES: ListPrices = {
${tables.join("")}}
`
}

const literal = (entry: ListEntry): string =>
  `{ ${Object.entries(entry)
    .map(([key, value]) => `${key}: ${typeof value === "number" ? grouped(value) : JSON.stringify(value)}`)
    .join(", ")} }`

const grouped = (n: number): string => (n >= 10_000 ? String(n).replace(/\B(?=(\d{3})+$)/g, "_") : String(n))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "models-dev": { type: "string", default: MODELS_DEV },
      litellm: { type: "string", default: LITELLM },
      date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    },
  })
  const lists = listsOf(await read(values["models-dev"]), await read(values.litellm))
  for (const [table, list] of Object.entries(lists)) {
    if (list.size === 0) throw new Error(`neither source lists a model of "${table}": nothing is written`)
    console.log(`${table}: ${list.size} models`)
  }
  writeFileSync(TARGET, render(lists, values.date))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
