// The Worker: its HTTP face and its Durable Objects; nothing else.

import { waitUntil } from "cloudflare:workers"
import type { Env } from "./cloudflare/platform/env.ts"
import { house } from "./cloudflare/worker/wire.ts"
import { createApp } from "./http/app.ts"

export { DirectoryObject } from "./cloudflare/directory/directory-object.ts"
export { Couriers } from "./cloudflare/outgoing/courier.ts"
export { MemoryObject } from "./cloudflare/memory/memory-object.ts"
export { RunObject } from "./cloudflare/run/run-object.ts"
export { TenantObject } from "./cloudflare/tenant/tenant-object.ts"

/** One route table per isolate, not per request: its bindings do not change while it lives. */
let app: ReturnType<typeof createApp> | undefined

export default {
  fetch(request, env, ctx) {
    app ??= createApp(house(env, waitUntil))
    return app.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<Env>
