// The Worker's bindings and variables: wrangler.toml as a type.

import type { RunObject } from "./run-object.ts"
import type { TenantObject } from "./tenant-object.ts"

export interface Env {
  readonly RUN: DurableObjectNamespace<RunObject>
  readonly TENANT: DurableObjectNamespace<TenantObject>
  readonly CACHE: KVNamespace
  readonly BLOBS: R2Bucket
  /** Dynamic Workers, where code steps run [F24]; without it they fail with a clear error. */
  readonly LOADER?: WorkerLoader
  /** Workers AI, when the deployment binds it. */
  readonly AI?: Ai
  /** "local" opens the local keys and loopback providers [N5]; anything else does not. */
  readonly ENVIRONMENT: string
  /** A Worker secret: what provider keys are sealed with at rest. */
  readonly VAULT_KEY?: string
}
