// Connects tools to a tenant's memory. An idempotent call is retried once if the platform allows it. The object returns a refusal as a
// value, which is thrown here, because a tool fails by throwing.

import { defined } from "../../core/defined.ts"
import type { MemoryBatch, MemoryRpc, MemoryWritten } from "../../ports/objects.ts"
import type { Memory } from "../../ports/tool.ts"
import { idOf } from "../memory/memory-sql.ts"
import { retrying } from "../platform/retrying.ts"
import { memoryStub, type MemoryNamespace } from "../platform/stubs.ts"

export const memoryPort = (env: MemoryNamespace, tenant: string): Memory => memoryOver(() => memoryStub(env, tenant))

export function memoryOver(object: () => Omit<MemoryRpc, "erase">): Memory {
  const add = async (batch: MemoryBatch): Promise<MemoryWritten> => {
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
      await add({ namespace, contents, meta: { tainted, ...defined({ source }) }, replaces: true })
    },
    read: (namespace, limit) => retrying(() => object().read(namespace, limit)),
    search: (query) => retrying(() => object().search(query)),
  }
}
