// The bindings that `cloudflare:test` hands to the worker tests are those of the Worker itself. The tests also look inside the objects
// (`runInDurableObject`), so their stubs know the objects' classes, which the Worker's own type of its bindings does not name.

import type { DirectoryObject } from "../../src/cloudflare/directory/directory-object.ts"
import type { MemoryObject } from "../../src/cloudflare/memory/memory-object.ts"
import type { Env as WorkerEnv } from "../../src/cloudflare/platform/env.ts"
import type { ObjectNamespace } from "../../src/cloudflare/platform/stubs.ts"
import type { RunObject } from "../../src/cloudflare/run/run-object.ts"
import type { TenantObject } from "../../src/cloudflare/tenant/tenant-object.ts"
import type { DirectoryRpc, MemoryRpc, RunRpc, TenantRpc } from "../../src/ports/objects.ts"

interface Namespace<Answered, Inside extends Rpc.DurableObjectBranded> extends ObjectNamespace<Answered> {
  get(id: DurableObjectId): Answered & DurableObjectStub<Inside>
}

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      readonly RUN: Namespace<RunRpc, RunObject>
      readonly TENANT: Namespace<TenantRpc, TenantObject>
      readonly MEMORY: Namespace<MemoryRpc, MemoryObject>
      readonly DIRECTORY: Namespace<DirectoryRpc, DirectoryObject>
    }
  }
}
