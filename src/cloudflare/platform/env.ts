// Declares the Worker's bindings and variables: wrangler.toml as a type.

import type { SandboxNamespace } from "./sandbox-stub.ts"
import type { DirectoryNamespace, MemoryNamespace, RunNamespace, TenantNamespace } from "./stubs.ts"

export interface Env extends RunNamespace, TenantNamespace, MemoryNamespace, DirectoryNamespace {
  readonly CACHE: KVNamespace
  readonly BLOBS: R2Bucket
  /** Buckets in a jurisdiction, for the tenants that are there [N1]; without the binding there can be no such tenants. */
  readonly BLOBS_EU?: R2Bucket
  readonly BLOBS_US?: R2Bucket
  /** Dynamic Workers, where code steps run [F24]; without it they fail with a clear error. */
  readonly LOADER?: WorkerLoader
  /** Static assets: `/sluice-chat.js` and the console; without the binding there are none. */
  readonly ASSETS?: Fetcher
  /** On a machine of one's own: a folder that holds the file `full` while the disk is nearly full, `stopping` while the server stops [N7]. */
  readonly DISK?: Fetcher
  /** Browser Rendering, for browser.* [T25]; without it they are absent. */
  readonly BROWSER?: Fetcher
  /** Machines for commands [T20]: the class `Sandbox` of @cloudflare/sandbox, in a separate Worker (docs/decisions/0020). The machines of a
   *  jurisdiction are for the tenants in it [N1]. */
  readonly SANDBOX?: SandboxNamespace
  readonly SANDBOX_EU?: SandboxNamespace
  readonly SANDBOX_US?: SandboxNamespace
  /** "off": the bound class gives its machines no network (`enableInternet = false`), so no data can leave through them [G11]. */
  readonly SANDBOX_INTERNET?: string
  /** Workers AI, when the deployment binds it. */
  readonly AI?: Ai
  /** A D1 database with the tables of migrations/data, for the toolkit `catalog` [T43], and the one tenant that may read it. */
  readonly DATA?: D1Database
  readonly DATA_TENANT?: string
  /** "local" opens the local keys and loopback providers [N5]; anything else does not. */
  readonly ENVIRONMENT: string
  /** `host[:port]`, comma-separated: private addresses that tools may reach. Used only when ENVIRONMENT is "local" [T21]. */
  readonly ALLOWED_PRIVATE_HOSTS?: string
  /** The address of this Worker, such as `https://sluice.example`, for everything that it hands out. Absent: addresses are paths. */
  readonly PUBLIC_URL?: string
  /** "yes": only a dispatcher can reach this Worker, which then believes the address that the dispatcher says [N2]. */
  readonly DISPATCHED?: string
  /** Names, comma-separated, that nothing may call, each with every name below it: the rest of the own zone beside PUBLIC_URL [T21]. */
  readonly CLOSED_HOSTS?: string
  /** Names of the own zone or of workers.dev that tenants may have called all the same. */
  readonly OPEN_HOSTS?: string
  /** "off": requests are not logged [N8]. Faults are still logged. */
  readonly REQUEST_LOG?: string
  /** An OTLP/HTTP endpoint for traces of ended runs [N9], such as `https://otlp.example`. Absent: no traces are sent. */
  readonly OTLP_ENDPOINT?: string
  /** A Worker secret: headers for that endpoint, `name=value,name=value`, values percent-encoded. */
  readonly OTLP_HEADERS?: string
  /** Analytics Engine: a data point for each run that ends [N9]. */
  readonly METRICS?: AnalyticsEngineDataset
  /** A Worker secret: encrypts provider keys at rest. */
  readonly VAULT_KEY?: string
  /** [H14] Cloudflare Access in front of this Worker: the team's domain, the tags of its applications (comma-separated), and, a Worker secret, who
   *  acts with which key: `anna@example.com=sl_…,@example.com=sl_…,*=sl_…`; the first that fits counts. */
  readonly ACCESS_TEAM?: string
  readonly ACCESS_AUDIENCE?: string
  readonly ACCESS_KEYS?: string
  /** A Worker secret: the instance's admin key [N5]. */
  readonly ADMIN_KEY?: string
}
