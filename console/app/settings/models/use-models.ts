// The models that the tenant's providers offer, by their own lists: what a field for a model offers, and whether a provider can be reached.

import type { ProviderModelsResult, ProviderRow } from "../../../../src/api/doc/settings.doc.ts"
import { listPrice } from "../../../../src/core/money/prices.ts"
import type { Price } from "../../../../src/core/money/amount.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { useAsked, type Asked } from "../../parts/asked.ts"
import type { Choice } from "../../parts/choice.ts"
import { faultOf } from "../../parts/fault.ts"
import type { Api } from "../../shell/session.ts"

export interface Offer {
  readonly row: ProviderRow
  /** The list, or why there is none. */
  readonly list:
    | ProviderModelsResult
    | { readonly ok: false; readonly models: readonly []; readonly message: string; readonly status?: number }
}

/** What a provider's list says of one: a provider that is silent delays none of the others. */
const listOf = async (api: Api, row: ProviderRow): Promise<Offer> => {
  const list = await settingsOver(api.transport)
    .providers.models(row.name)
    .catch((error: unknown) => ({ ok: false as const, models: [] as const, message: faultOf(error) }))
  return { row, list }
}

export const useOffers = (api: Api): Asked<readonly Offer[]> =>
  useAsked(["settings", "offers"], async () => {
    const rows = await settingsOver(api.transport).providers.list().all()
    return Promise.all(rows.map((row) => listOf(api, row)))
  })

/** `$3 in, $15 out`, per million tokens. */
export const priceWords = ({ input, output }: Price): string => `$${input} in, $${output} out`

export const choicesOf = (offers: readonly Offer[]): Choice[] =>
  offers.flatMap(({ row: { name, kind }, list: { models } }) =>
    models.map((model) => {
      const price = listPrice(kind, model.id)
      return { value: `${name}/${model.id}`, ...(price === undefined ? {} : { note: priceWords(price) }) }
    }),
  )
