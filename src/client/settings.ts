// A tenant's settings, secrets and keys, and its tools.

import type { BudgetSetting } from "../core/money/budget-setting.ts"
import type { JsonObject } from "../core/json.ts"
import type { Force } from "./catalog.ts"
import { Paged } from "./paged.ts"
import type { DayBudgetToday, ProviderRow, ProviderTestResult, SecretRow } from "../api/doc/settings.doc.ts"
import type { Provider, ProviderTestRequest, SettingName, SettingValue } from "../api/settings.ts"
import type { KeyRow, MadeKey } from "../api/doc/tenants.doc.ts"
import type { NewKey } from "../api/tenants.ts"
import type { ToolRow } from "../api/doc/tools.doc.ts"
import { part, type Transport } from "./transport.ts"

/** A setting that is replaced as a whole; `put` returns the new setting. */
class Setting<Given, Shown = Given> {
  readonly #transport: Transport
  readonly #path: string

  constructor(transport: Transport, name: string) {
    this.#transport = transport
    this.#path = `/v1/settings/${name}`
  }
  get(): Promise<Shown> {
    return this.#transport.json("GET", this.#path)
  }
  put(value: Given): Promise<Shown> {
    return this.#transport.json("PUT", this.#path, { body: value })
  }
}

class Settings {
  readonly providers: Providers
  readonly policy: Setting<JsonObject>
  /** The limits of the tenant's day, and of each run. */
  readonly budget: Setting<BudgetSetting>
  /** What is spent and held of the daily limits. */
  readonly today: () => Promise<DayBudgetToday>
  readonly cors: Setting<{ readonly origins: readonly string[] }>
  readonly retention: Setting<{ readonly runs: string | number }, { readonly runs: string }>

  constructor(transport: Transport) {
    this.providers = new Providers(transport)
    this.policy = new Setting(transport, "policy")
    this.budget = new Setting(transport, "budget")
    this.cors = new Setting(transport, "cors")
    this.retention = new Setting(transport, "retention")
    this.today = () => transport.json("GET", "/v1/settings/budget/today")
  }
}

type Stored = { readonly [Name in SettingName]: Setting<SettingValue<Name>> }
export type AllSettings = Settings & Stored

/** The settings that are stored as they are need no line here: any other name is the setting at `/v1/settings/NAME`. */
export const settingsOver = (transport: Transport): AllSettings =>
  new Proxy(new Settings(transport), {
    get: (own, name) => {
      const made: unknown = Reflect.get(own, name)
      return made === undefined && typeof name === "string" && name !== "then" ? new Setting(transport, name) : made
    },
  }) as AllSettings

class Providers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  list(): Paged<ProviderRow> {
    return new Paged(this.#transport, "/v1/settings/providers")
  }
  get(name: string): Promise<ProviderRow> {
    return this.#transport.json("GET", `/v1/settings/providers/${part(name)}`)
  }
  put(name: string, provider: Provider): Promise<ProviderRow> {
    return this.#transport.json("PUT", `/v1/settings/providers/${part(name)}`, { body: provider })
  }
  /** Asks for one word: the call may be billed. */
  test(name: string, body: ProviderTestRequest = {}): Promise<ProviderTestResult> {
    return this.#transport.json("POST", `/v1/settings/providers/${part(name)}/test`, { body })
  }
  /** A provider that roles, agents or steps name is removed only with `force`. */
  delete(name: string, { force }: Force = {}): Promise<void> {
    return this.#transport.json("DELETE", `/v1/settings/providers/${part(name)}`, { query: { force: force === true ? 1 : undefined } })
  }
}

/** The vault: values go in and never come out. */
export class Secrets {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  list(): Paged<SecretRow> {
    return new Paged(this.#transport, "/v1/secrets")
  }
  /** To rotate a secret, send several values, newest first. */
  put(scope: string, value: string | readonly string[]): Promise<void> {
    return this.#transport.json("PUT", `/v1/secrets/${part(scope)}`, { body: typeof value === "string" ? { value } : { values: value } })
  }
  delete(scope: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/secrets/${part(scope)}`)
  }
}

/** API keys of this tenant, or of a tenant that the admin key names. */
export class Keys {
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, base = "/v1/keys") {
    this.#transport = transport
    this.#base = base
  }
  list(): Paged<KeyRow> {
    return new Paged(this.#transport, this.#base)
  }
  create(key: NewKey): Promise<MadeKey> {
    return this.#transport.json("POST", this.#base, { body: key })
  }
  revoke(id: string): Promise<void> {
    return this.#transport.json("DELETE", `${this.#base}/${part(id)}`)
  }
}

export class Tools {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  list(): Paged<ToolRow> {
    return new Paged(this.#transport, "/v1/tools")
  }
  get(name: string): Promise<ToolRow> {
    return this.#transport.json("GET", `/v1/tools/${part(name)}`)
  }
  /** A tool that fails answers with `isError`; the call does not throw. */
  call(name: string, args: JsonObject = {}, options: { readonly workspace?: string } = {}): Promise<JsonObject> {
    return this.#transport.json("POST", `/v1/tools/${part(name)}`, { body: args, query: { ...options } })
  }
  put(name: string, tool: JsonObject): Promise<ToolRow> {
    return this.#transport.json("PUT", `/v1/tools/${part(name)}`, { body: tool })
  }
  delete(name: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/tools/${part(name)}`)
  }
}
