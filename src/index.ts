// The Worker: its HTTP face and its Durable Objects; nothing else.

import { waitUntil } from "cloudflare:workers"
import type { Env } from "./cloudflare/env.ts"
import { house } from "./cloudflare/wire.ts"
import { createApp } from "./http/app.ts"

export { DirectoryObject } from "./cloudflare/directory-object.ts"
export { MemoryObject } from "./cloudflare/memory-object.ts"
export { RunObject } from "./cloudflare/run-object.ts"
export { TenantObject } from "./cloudflare/tenant-object.ts"

/** One route table per isolate, not per request: its bindings do not change while it lives. */
let app: ReturnType<typeof createApp> | undefined

export default {
  fetch(request, env, ctx) {
    app ??= createApp(house(env, waitUntil))
    return app.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<Env>
