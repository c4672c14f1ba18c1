// The client: `new Sluice({ url, key })`. It has no dependencies and runs wherever there is fetch: Node 20 and later, Workers, browsers.

import type { FeedEvent } from "../api/doc/run/feed.doc.ts"
import { Architect } from "./architect.ts"
import { Scorers } from "./scorers.ts"
import { BulkClient } from "./bulk.ts"
import { ScoresClient } from "./scores.ts"
import { StartsClient } from "./starts.ts"
import { Catalog, Packages } from "./catalog.ts"
import { DatasetsClient } from "./datasets.ts"
import { ExperimentsClient } from "./experiments.ts"
import { listen, type Listen } from "./feed.ts"
import { Flows } from "./flows.ts"
import { Failures, UsageClient } from "./insight.ts"
import { Interactions } from "./interactions.ts"
import { Objects } from "./objects.ts"
import { Plans, ReferencesClient } from "./references.ts"
import { Receipts, Runs, Sessions } from "./runs.ts"
import { Keys, Secrets, settingsOver, Tools, type AllSettings } from "./settings.ts"
import { SignInClient } from "./sign-in.ts"
import { Tenants } from "./tenants.ts"
import { Transport, type Options } from "./transport/transport.ts"
import { Callbacks, Hooks, Schedules } from "./triggers.ts"

export class Sluice {
  readonly #transport: Transport
  readonly flows: Flows
  readonly runs: Runs
  /** One act on many runs. */
  readonly bulk: BulkClient
  readonly scorers: Scorers
  /** What is said of runs: scores, feedback and grades. */
  readonly scores: ScoresClient
  readonly starts: StartsClient
  /** Rows that experiments run a flow on. */
  readonly datasets: DatasetsClient
  readonly experiments: ExperimentsClient
  readonly sessions: Sessions
  readonly interactions: Interactions
  readonly receipts: Receipts
  readonly usage: UsageClient
  readonly failures: Failures
  readonly catalog: Catalog
  readonly packages: Packages
  readonly architect: Architect
  readonly tools: Tools
  /** Shared files. */
  readonly objects: Objects
  readonly references: ReferencesClient
  readonly plans: Plans
  readonly hooks: Hooks
  readonly schedules: Schedules
  readonly callbacks: Callbacks
  readonly secrets: Secrets
  readonly settings: AllSettings
  readonly keys: Keys
  /** The sign-in of a person; `sessions` are those of agents. */
  readonly session: SignInClient
  /** For the instance's admin key. */
  readonly tenants: Tenants

  constructor(options: Options) {
    const transport = new Transport(options)
    this.#transport = transport
    this.runs = new Runs(transport)
    this.bulk = new BulkClient(transport)
    this.scorers = new Scorers(transport)
    this.scores = new ScoresClient(transport)
    this.datasets = new DatasetsClient(transport)
    this.experiments = new ExperimentsClient(transport)
    this.starts = new StartsClient(transport)
    this.sessions = new Sessions(transport)
    this.flows = new Flows(transport, this.runs)
    this.interactions = new Interactions(transport)
    this.receipts = new Receipts(transport)
    this.usage = new UsageClient(transport)
    this.failures = new Failures(transport)
    this.catalog = new Catalog(transport)
    this.packages = new Packages(transport)
    this.architect = new Architect(transport)
    this.tools = new Tools(transport)
    this.objects = new Objects(transport)
    this.references = new ReferencesClient(transport)
    this.plans = new Plans(transport)
    this.hooks = new Hooks(transport)
    this.schedules = new Schedules(transport)
    this.callbacks = new Callbacks(transport)
    this.secrets = new Secrets(transport)
    this.settings = settingsOver(transport)
    this.keys = new Keys(transport)
    this.session = new SignInClient(transport)
    this.tenants = new Tenants(transport)
  }
  /** What happens in the tenant, as it happens [H15]. */
  listen(options: Listen = {}): AsyncGenerator<FeedEvent> {
    return listen(this.#transport, options)
  }
}
