// Stores the bodies of a tenant's content: an existing body is protected from deletion before it is reused [F71].

import { r2Blobs, type BlobEnv, type BodyOwner } from "../blobs/blobs-r2.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { portOf } from "../platform/port-of.ts"

interface Owner extends Omit<BodyOwner, "retain"> {
  readonly later?: (work: Promise<unknown>) => void
}

export const contentBlobs = (env: BlobEnv & TenantNamespace, tenant: string, { later, ...owner }: Owner = {}): Blobs =>
  r2Blobs(env, tenant, later, { ...owner, retain: (hash) => portOf(env, tenant, "bodies").retain(hash) })
