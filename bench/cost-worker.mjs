// The Worker with counters, only for bench/cost.ts: rows that its objects read and write, requests to objects, operations on KV and
// R2. All objects share one isolate here, so one table holds all counts. `GET /__count` returns and resets them.

import worker, { DirectoryObject as Directory, MemoryObject as Memory, RunObject as Run, TenantObject as Tenant } from "../src/index.ts"

// Calls leave through them as in the Worker itself [J16].
export { Couriers } from "../src/index.ts"

let counts = {}
let cursors = []

const count = (what, n = 1) => void (counts[what] = (counts[what] ?? 0) + n)

function watch(name, ctx) {
  const { storage } = ctx
  const { sql, kv } = storage
  const exec = sql.exec.bind(sql)
  const put = kv.put.bind(kv)
  const setAlarm = storage.setAlarm.bind(storage)
  sql.exec = (...args) => {
    const cursor = exec(...args)
    // The rows read are known only after reading.
    cursors.push({ name, cursor })
    return cursor
  }
  kv.put = (...args) => {
    count(`${name} rows written`)
    return put(...args)
  }
  storage.setAlarm = (...args) => {
    count(`${name} rows written`)
    return setAlarm(...args)
  }
  return ctx
}

/** Every stub call is one request to an object, however deep the path to the method. */
const space = (name, real) => ({
  idFromName: (text) => real.idFromName(text),
  get: (id) => new Proxy(real.get(id), { get: (stub, member) => called(name, stub, member) }),
})

function called(name, of, member) {
  const value = of[member]
  if (typeof value !== "function") return value
  return new Proxy(value, {
    get: (path, next) => called(name, path, next),
    apply: (method, _, args) => {
      count(`${name} requests`)
      // `method.apply` would itself be a remote call.
      return Reflect.apply(method, of, args)
    },
  })
}

const store = (name, real) =>
  new Proxy(real, {
    get:
      (target, method) =>
      (...args) => {
        count(`${name} ${String(method)}`)
        return target[method](...args)
      },
  })

const counted = (env) => ({
  ...env,
  RUN: space("run", env.RUN),
  TENANT: space("tenant", env.TENANT),
  MEMORY: space("memory", env.MEMORY),
  DIRECTORY: space("directory", env.DIRECTORY),
  CACHE: store("kv", env.CACHE),
  BLOBS: store("r2", env.BLOBS),
})

export class RunObject extends Run {
  constructor(ctx, env) {
    super(watch("run", ctx), counted(env))
  }
  alarm() {
    count("run requests")
    return super.alarm()
  }
}
export class TenantObject extends Tenant {
  constructor(ctx, env) {
    super(watch("tenant", ctx), counted(env))
  }
}
export class MemoryObject extends Memory {}
export class DirectoryObject extends Directory {}

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/__count") return worker.fetch(request, counted(env), ctx)
    for (const { name, cursor } of cursors) {
      count(`${name} rows read`, cursor.rowsRead)
      count(`${name} rows written`, cursor.rowsWritten)
    }
    const totals = counts
    counts = {}
    cursors = []
    return Response.json(totals)
  },
}
