// The Worker with counters in it, for bench/cost.ts alone: rows that its objects read and write, requests to objects, and operations on KV
// and R2. All objects share this isolate here, so one table holds them all. `GET /__count` tells and begins anew.

import worker, { DirectoryObject as Directory, MemoryObject as Memory, RunObject as Run, TenantObject as Tenant } from "../src/index.ts"
import type { Env } from "../src/cloudflare/env.ts"

let counts: Record<string, number> = {}
let cursors: { readonly name: string; readonly cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = []

const count = (what: string, n = 1): void => void (counts[what] = (counts[what] ?? 0) + n)

function watch(name: string, ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx
  const { sql, kv } = storage
  const exec = sql.exec.bind(sql)
  Object.assign(sql, {
    exec: (...args: Parameters<typeof exec>) => {
      const cursor = exec(...args)
      // What it read is known when it has been read.
      cursors.push({ name, cursor })
      return cursor
    },
  })
  const put = kv.put.bind(kv)
  Object.assign(kv, { put: (...args: Parameters<typeof put>) => (count(`${name} rows written`), put(...args)) })
  const setAlarm = storage.setAlarm.bind(storage)
  Object.assign(storage, {
    setAlarm: (...args: Parameters<typeof setAlarm>) => (count(`${name} rows written`), count(`${name} alarms set`), setAlarm(...args)),
  })
  return ctx
}

/** Every call of a stub is a request to an object. */
function counted(env: Env): Env {
  const space = (name: string, real: object): object => ({
    idFromName: (text: string) => Reflect.get(real, "idFromName").call(real, text),
    get: (id: unknown) => {
      const stub: object = Reflect.get(real, "get").call(real, id)
      return new Proxy(stub, {
        get: (target, method) => {
          const value: unknown = Reflect.get(target, method, target)
          if (typeof value !== "function" || typeof method !== "string") return value
          return (...args: unknown[]) => (count(`${name} requests`), Reflect.apply(value, target, args))
        },
      })
    },
  })
  const store = (name: string, real: object): object =>
    new Proxy(real, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method, target)
        return typeof value === "function"
          ? (...args: unknown[]) => (count(`${name} ${String(method)}`), Reflect.apply(value, target, args))
          : value
      },
    })
  const objects = { RUN: space("run", env.RUN), TENANT: space("tenant", env.TENANT), MEMORY: space("memory", env.MEMORY) }
  return Object.assign({ ...env }, objects, {
    DIRECTORY: space("directory", env.DIRECTORY),
    CACHE: store("kv", env.CACHE),
    BLOBS: store("r2", env.BLOBS),
  }) as Env
}

export class RunObject extends Run {
  constructor(ctx: DurableObjectState, env: Env) {
    super(watch("run", ctx), counted(env))
  }
  override alarm(): Promise<void> {
    count("run requests")
    count("run alarms rung")
    return super.alarm()
  }
}
export class TenantObject extends Tenant {
  constructor(ctx: DurableObjectState, env: Env) {
    super(watch("tenant", ctx), counted(env))
  }
}
export class MemoryObject extends Memory {}
export class DirectoryObject extends Directory {}

// eslint-disable-next-line import/no-default-export -- a Worker has one
export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/__count") return worker.fetch(request as never, counted(env), ctx)
    for (const { name, cursor } of cursors) {
      count(`${name} rows read`, cursor.rowsRead)
      count(`${name} rows written`, cursor.rowsWritten)
    }
    const told = counts
    counts = {}
    cursors = []
    return Response.json(told)
  },
} satisfies ExportedHandler<Env>
