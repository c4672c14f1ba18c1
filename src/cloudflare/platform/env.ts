// The Worker's bindings and variables: wrangler.toml as a type.

import type { DirectoryObject } from "../directory/directory-object.ts"
import type { SandboxNamespace } from "../sandbox/container-rpc.ts"
import type { MemoryObject } from "../memory/memory-object.ts"
import type { RunObject } from "../run/run-object.ts"
import type { TenantObject } from "../tenant/tenant-object.ts"

export interface Env {
  readonly RUN: DurableObjectNamespace<RunObject>
  readonly TENANT: DurableObjectNamespace<TenantObject>
  readonly MEMORY: DurableObjectNamespace<MemoryObject>
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>
  readonly CACHE: KVNamespace
  readonly BLOBS: R2Bucket
  /** Buckets in a jurisdiction, for the tenants that lie there [N1]; without it there are none. */
  readonly BLOBS_EU?: R2Bucket
  readonly BLOBS_US?: R2Bucket
  /** "eu" or "us": all of this instance lies there, its BLOBS too [N2]. Said before the first deploy, and for ever. */
  readonly JURISDICTION?: string
  /** Dynamic Workers, where code steps run [F24]; without it they fail with a clear error. */
  readonly LOADER?: WorkerLoader
  /** Browser Rendering, for browser.* [T25]; without it they are absent. */
  readonly BROWSER?: Fetcher
  /** Machines for commands [T20]: the class `Sandbox` of @cloudflare/sandbox, in a Worker of its own (docs/decisions/0020). Those of a
   *  jurisdiction are for the tenants that lie there [N1]. */
  readonly SANDBOX?: SandboxNamespace
  readonly SANDBOX_EU?: SandboxNamespace
  readonly SANDBOX_US?: SandboxNamespace
  /** "off": the class that is bound gives its machines no network (`enableInternet = false`), so nothing leaves through them [G11]. */
  readonly SANDBOX_INTERNET?: string
  /** Workers AI, when the deployment binds it. */
  readonly AI?: Ai
  /** A D1 database with the tables of migrations/data, for the toolkit `catalog` [T43], and the one tenant whose it is. */
  readonly DATA?: D1Database
  readonly DATA_TENANT?: string
  /** "local" opens the local keys and loopback providers [N5]; anything else does not. */
  readonly ENVIRONMENT: string
  /** `host[:port]`, comma-separated: addresses inside that tools may reach all the same. Counts only when ENVIRONMENT is "local" [T21]. */
  readonly ALLOWED_PRIVATE_HOSTS?: string
  /** Where this Worker is reached, such as `https://sluice.example`: links that a run makes lead there. Absent: they are paths. */
  readonly PUBLIC_URL?: string
  /** "off": no line for each request [N8]. Faults are logged all the same. */
  readonly REQUEST_LOG?: string
  /** Where traces of ended runs go [N9]: an OTLP/HTTP endpoint, such as `https://otlp.example`; absent: nowhere. */
  readonly OTLP_ENDPOINT?: string
  /** A Worker secret: headers for it, `name=value,name=value`, values percent-encoded. */
  readonly OTLP_HEADERS?: string
  /** Analytics Engine: a data point for each run that ends [N9]. */
  readonly METRICS?: AnalyticsEngineDataset
  /** A Worker secret: what provider keys are sealed with at rest. */
  readonly VAULT_KEY?: string
  /** A Worker secret: the instance's admin key [N5]. */
  readonly ADMIN_KEY?: string
}
