// The bindings that `cloudflare:test` hands to the worker tests are those of the Worker itself.

import type { Env as WorkerEnv } from "../../src/cloudflare/platform/env.ts"

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {}
  }
}
