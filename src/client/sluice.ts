// The client: `new Sluice({ url, key })`. Runs wherever there is fetch: Node from 20 on, Workers, browsers. Without dependencies.

import { Catalog } from "./catalog.ts"
import { Flows } from "./flows.ts"
import { Interactions } from "./interactions.ts"
import { Runs } from "./runs.ts"
import { Keys, Secrets, Settings, Tools } from "./settings.ts"
import { Tenants } from "./tenants.ts"
import { Transport, type Options } from "./transport.ts"
import { Callbacks, Hooks, Schedules } from "./triggers.ts"

export class Sluice {
  readonly flows: Flows
  readonly runs: Runs
  readonly interactions: Interactions
  readonly catalog: Catalog
  readonly tools: Tools
  readonly hooks: Hooks
  readonly schedules: Schedules
  readonly callbacks: Callbacks
  readonly secrets: Secrets
  readonly settings: Settings
  readonly keys: Keys
  /** For the instance's admin key. */
  readonly tenants: Tenants

  constructor(options: Options) {
    const transport = new Transport(options)
    this.runs = new Runs(transport)
    this.flows = new Flows(transport, this.runs)
    this.interactions = new Interactions(transport)
    this.catalog = new Catalog(transport)
    this.tools = new Tools(transport)
    this.hooks = new Hooks(transport)
    this.schedules = new Schedules(transport)
    this.callbacks = new Callbacks(transport)
    this.secrets = new Secrets(transport)
    this.settings = new Settings(transport)
    this.keys = new Keys(transport)
    this.tenants = new Tenants(transport)
  }
}
