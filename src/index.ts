// The Worker: its HTTP face and its Durable Objects; nothing else.

import { createWorker } from "./worker.ts"

export { Couriers, DirectoryObject, MemoryObject, RunObject, TenantObject } from "./worker.ts"

export default createWorker()
