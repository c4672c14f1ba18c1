// memoryPort: a tenant's memory as its tools see it. A fresh stub for every call, as in tenant-port.ts; a call that may be made twice
// is made a second time when the platform says that it may. What the object refuses comes as a value and is thrown here, for a tool
// fails by throwing.

import type { Result } from "../../core/result.ts"
import type { Memory } from "../../ports/tool.ts"
import { idOf, type Meta, type Written } from "../memory/memory-sql.ts"
import { memoryStub, type MemoryDoor } from "../platform/stubs.ts"
import { retrying } from "./tenant-port.ts"

export type MemoryPortEnv = MemoryDoor

export interface Batch {
  readonly namespace: string
  readonly contents: readonly string[]
  readonly meta: Meta
  /** What stood in the namespace goes. */
  readonly replaces: boolean
}

/** The methods of MemoryObject. */
export interface MemoryRpc {
  add(batch: Batch): Promise<Result<Written, string>>
  read: Memory["read"]
  search: Memory["search"]
}

export const memoryPort = (env: MemoryPortEnv, tenant: string): Memory => memoryOver(() => memoryStub(env, tenant))

export function memoryOver(object: () => MemoryRpc): Memory {
  const add = async (batch: Batch): Promise<Written> => {
    const isRepeatable = batch.replaces || batch.meta.key !== undefined
    const written = await (isRepeatable ? retrying(() => object().add(batch)) : object().add(batch))
    if (!written.ok) throw new Error(written.error)
    return written.value
  }
  return {
    async write({ namespace, content, ...meta }) {
      const { numbers, version } = await add({ namespace, contents: [content], meta, replaces: false })
      return { id: idOf(numbers[0] ?? 0), version }
    },
    async append(namespace, contents, meta) {
      await add({ namespace, contents, meta, replaces: false })
    },
    async replace(namespace, contents, tainted, source) {
      await add({ namespace, contents, meta: { tainted, ...(source === undefined ? {} : { source }) }, replaces: true })
    },
    read: (namespace, limit) => retrying(() => object().read(namespace, limit)),
    search: (query) => retrying(() => object().search(query)),
  }
}
