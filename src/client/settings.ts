// Manages a tenant's settings, secrets, keys and tools.

import type { BudgetSetting } from "../core/money/budget-setting.ts"
import type { JsonObject } from "../core/json.ts"
import type { Force } from "./catalog.ts"
import { Paged } from "./transport/paged.ts"
import type * as shapes from "../api/doc/settings.doc.ts"
import type * as toolShapes from "../api/doc/tools.doc.ts"
import type {
  DayBudgetToday,
  PacingNow,
  ProviderModelsResult,
  ProviderRow,
  ProviderTestResult,
  SecretRow,
} from "../api/doc/settings.doc.ts"
import type { Provider, ProviderTestRequest, SettingName, settings, SettingValue } from "../api/settings.ts"
import type { KeyRow, MadeKey } from "../api/doc/tenants.doc.ts"
import type { NewKey } from "../api/tenants.ts"
import type { ToolRow } from "../api/doc/tools.doc.ts"
import type { tools } from "../api/tools.ts"
import { Part } from "./transport/part.ts"
import { part, type Transport } from "./transport/transport.ts"

/** A setting that is replaced as a whole; `put` returns the new setting. */
class Setting<Given, Shown = Given> extends Part {
  readonly #path: string

  constructor(transport: Transport, name: string) {
    super(transport)
    this.#path = `/v1/settings/${name}`
  }
  get(): Promise<Shown> {
    return this.json("GET", this.#path)
  }
  put(value: Given): Promise<Shown> {
    return this.json("PUT", this.#path, { body: value })
  }
}

class Settings {
  readonly providers: Providers
  readonly policy: Setting<JsonObject>
  /** The limits of the tenant's day, and of each run. */
  readonly budget: Setting<BudgetSetting>
  /** What is spent and held of the daily limits. */
  readonly today: () => Promise<DayBudgetToday>
  /** How the tenant's models stand. */
  readonly pacingNow: () => Promise<PacingNow>
  readonly cors: Setting<{ readonly origins: readonly string[] }>
  readonly retention: Setting<{ readonly runs: string | number }, { readonly runs: string }>

  constructor(transport: Transport) {
    this.providers = new Providers(transport)
    this.policy = new Setting(transport, "policy")
    this.budget = new Setting(transport, "budget")
    this.cors = new Setting(transport, "cors")
    this.retention = new Setting(transport, "retention")
    this.pacingNow = () => transport.json("GET", "/v1/settings/pacing/now")
    this.today = () => transport.json("GET", "/v1/settings/budget/today")
  }
}

type Stored = { readonly [Name in SettingName]: Setting<SettingValue<Name>> }
export type AllSettings = Settings & Stored

/** Any name that is not listed is the setting at `/v1/settings/NAME`. */
export const settingsOver = (transport: Transport): AllSettings =>
  new Proxy(new Settings(transport), {
    get: (own, name) => {
      const made: unknown = Reflect.get(own, name)
      return made === undefined && typeof name === "string" && name !== "then" ? new Setting(transport, name) : made
    },
  }) as AllSettings

class Providers extends Part<typeof settings, typeof shapes> {
  readonly list: () => Paged<ProviderRow> = this.paged("/v1/settings/providers")
  readonly get: (name: string) => Promise<ProviderRow> = this.route("GET /v1/settings/providers/*")
  readonly put: (name: string, provider: Provider) => Promise<ProviderRow> = this.route("PUT /v1/settings/providers/*")
  /** Asks for one word: the call may be billed. */
  readonly test: (name: string, body?: ProviderTestRequest) => Promise<ProviderTestResult> = this.route(
    "POST /v1/settings/providers/*/test",
  )
  /** The models that a provider lists. */
  readonly models: (name: string) => Promise<ProviderModelsResult> = this.route("GET /v1/settings/providers/*/models")
  /** The same with settings that are not saved. */
  readonly modelsOf: (name: string, provider: Provider) => Promise<ProviderModelsResult> = this.route(
    "POST /v1/settings/providers/*/models",
  )
  /** A provider that roles, agents or steps name is removed only with `force`. */
  delete(name: string, { force }: Force = {}): Promise<void> {
    return this.json("DELETE", `/v1/settings/providers/${part(name)}`, { query: { force } })
  }
}

/** The vault: values are written and never returned. */
export class Secrets extends Part<typeof settings, typeof shapes> {
  readonly list: () => Paged<SecretRow> = this.paged("/v1/secrets")
  /** To rotate a secret, send several values, newest first. */
  put(scope: string, value: string | readonly string[]): Promise<void> {
    return this.json("PUT", `/v1/secrets/${part(scope)}`, { body: typeof value === "string" ? { value } : { values: value } })
  }
  readonly delete: (scope: string) => Promise<void> = this.route("DELETE /v1/secrets/*")
}

/** API keys of this tenant, or of a tenant that the admin key names. */
export class Keys extends Part {
  readonly #base: string

  constructor(transport: Transport, base = "/v1/keys") {
    super(transport)
    this.#base = base
  }
  list(): Paged<KeyRow> {
    return new Paged(this.transport, this.#base)
  }
  create(key: NewKey): Promise<MadeKey> {
    return this.json("POST", this.#base, { body: key })
  }
  /** `cancel`: the starts by this key that wait are canceled too, also if it was revoked before. */
  revoke(id: string, starts?: "cancel"): Promise<void> {
    return this.json("DELETE", `${this.#base}/${part(id)}`, { query: { starts } })
  }
}

export class Tools extends Part<typeof tools, typeof toolShapes & { readonly ToolRow: ToolRow }> {
  readonly list: () => Paged<ToolRow> = this.paged("/v1/tools")
  readonly get: (name: string) => Promise<ToolRow> = this.route("GET /v1/tools/*")
  /** A tool that fails answers with `isError`; the call does not throw. */
  call(name: string, args: JsonObject = {}, options: { readonly workspace?: string } = {}): Promise<JsonObject> {
    return this.json("POST", `/v1/tools/${part(name)}`, { body: args, query: { ...options } })
  }
  put(name: string, tool: JsonObject): Promise<ToolRow> {
    return this.json("PUT", `/v1/tools/${part(name)}`, { body: tool })
  }
  readonly delete: (name: string) => Promise<void> = this.route("DELETE /v1/tools/*")
}
