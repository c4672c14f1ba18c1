// The Worker that a project exports, with the project's own tools and hooks: three lines of its `src/index.ts`.
//
//   import { createWorker } from "sluice/worker"
//   export { Couriers, DirectoryObject, MemoryObject, RunObject, TenantObject } from "sluice/worker"
//   export default createWorker({ tools: [] })

import { waitUntil } from "cloudflare:workers"
import type { Env } from "./cloudflare/platform/env.ts"
import { servicesOf } from "./cloudflare/worker/wire.ts"
import { createApp } from "./http/app.ts"
import { addOwn, type OwnTools } from "./tools/added.ts"
import { toolNames } from "./tools/toolbox.ts"

export { DirectoryObject } from "./cloudflare/directory/directory-object.ts"
export { Couriers } from "./cloudflare/outgoing/courier.ts"
export { MemoryObject } from "./cloudflare/memory/memory-object.ts"
export { RunObject } from "./cloudflare/run/run-object.ts"
export { TenantObject } from "./cloudflare/tenant/tenant-object.ts"

export function createWorker(own: OwnTools = {}): ExportedHandler<Env> & Required<Pick<ExportedHandler<Env>, "fetch">> {
  addOwn(own)
  // Two tools of one name stop the Worker here, not at a call [D4].
  toolNames()
  /** One route table per isolate, not per request: its bindings do not change while it lives. */
  let app: ReturnType<typeof createApp> | undefined
  return {
    fetch(request, env, ctx) {
      app ??= createApp(servicesOf(env, waitUntil))
      return app.fetch(request, env, ctx)
    },
  }
}
