// Reads what every start of a tenant is judged by, and marks it: a start that has waited asks for it again only if the mark has changed [R13, R21].

import { defined } from "../../../core/defined.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { RunBudget } from "../../../core/money/budget-setting.ts"
import { priceBook, type PriceBook } from "../../../core/money/prices.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { ModelSettings } from "../../../engine/catalog/pin/model-choice.ts"
import { VERSION } from "../../../engine/version.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { TenantStores } from "../tenant-stores.ts"

export interface Ground {
  readonly settings: ModelSettings
  /** What the pins of every run say of its tenant. */
  readonly said: { readonly rules: Rules; readonly tenancy?: number }
  readonly prices: PriceBook
  readonly daily: Amount
  readonly run: RunBudget | undefined
  /** Of rules, prices and money. A new build may have other list prices. */
  readonly mark: () => string
}

type GroundDeps = Pick<TenantStores, "sql" | "account" | "providers" | "policies" | "leases">

export class StartGround {
  readonly #deps: GroundDeps
  #read: { readonly version: number; readonly ground: Ground } | undefined

  constructor(deps: GroundDeps) {
    this.#deps = deps
  }

  /** Read once until something is written: each start used to read it with nine statements. */
  now(): Ground {
    const { sql, account, providers, policies, leases } = this.#deps
    if (this.#read?.version === sql.version) return this.#read.ground
    const [rules, priced, setting] = [policies.rules(), providers.priced(), leases.setting()]
    let mark: string | undefined
    const ground = {
      settings: providers.models(),
      said: { rules, ...defined({ tenancy: account.tenancy() }) },
      prices: priceBook(...priced),
      daily: leases.limit(),
      run: setting.run,
      mark: () => (mark ??= sha256(JSON.stringify([VERSION, rules.version, priced, setting]))),
    }
    this.#read = { version: sql.version, ground }
    return ground
  }
}
