// The Worker of a project that has a tool of its own.

import { createWorker } from "../../../src/worker.ts"
import { order } from "./order-tool.ts"

export { Couriers, DirectoryObject, MemoryObject, RunObject, TenantObject } from "../../../src/worker.ts"

export const worker = createWorker({ tools: [order] })
