// The object that the suite of the two sides asks: each method does one thing with the platform and tells what it saw.

import { DurableObject } from "cloudflare:workers"
import { CASES, toldOf, type Side } from "./suite.ts"

interface Env {
  readonly PROBE: DurableObjectNamespace<Probe>
}

export class Probe extends DurableObject<Env> {
  /** Of this life alone. */
  #calls = 0
  readonly #order: string[] = []

  async life(): Promise<number> {
    return ++this.#calls
  }

  async values(): Promise<unknown[]> {
    const { sql } = this.ctx.storage
    sql.exec("CREATE TABLE IF NOT EXISTS v (a, b, c, d, e)")
    sql.exec("DELETE FROM v")
    sql.exec("INSERT INTO v VALUES (?, ?, ?, ?, ?)", 1, 1.5, "ä", null, new Uint8Array([1, 2]))
    const row = sql.exec("SELECT * FROM v").one()
    const { e } = row
    return [row["a"], row["b"], row["c"], row["d"], e instanceof ArrayBuffer, [...new Uint8Array(e as ArrayBuffer)]]
  }

  async cursors(): Promise<unknown[]> {
    const { sql } = this.ctx.storage
    const rows = (): SqlStorageCursor<Record<string, SqlStorageValue>> => sql.exec("SELECT value FROM json_each('[1,2,3]')")
    const fails = (query: string): boolean => {
      try {
        sql.exec(query).one()
        return false
      } catch {
        return true
      }
    }
    const some = rows()
    some.next()
    return [
      rows()
        .toArray()
        .map((row) => row["value"]),
      Array.from(rows(), (row) => row["value"]),
      some.toArray().map((row) => row["value"]),
      fails("SELECT 1 WHERE 0"),
      fails("SELECT value FROM json_each('[1,2]')"),
      fails("SELECT 1"),
    ]
  }

  async statements(): Promise<unknown[]> {
    const { sql } = this.ctx.storage
    sql.exec("CREATE TABLE IF NOT EXISTS s (id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX IF NOT EXISTS s_by_n ON s (n)")
    sql.exec("DELETE FROM s")
    const made = sql.exec("INSERT INTO s (id, n) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = n + 1 RETURNING n").one()
    const again = sql.exec("INSERT INTO s (id, n) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = n + 1 RETURNING n").one()
    let clash = ""
    try {
      sql.exec("INSERT INTO s (id, n) VALUES (1, 0)")
    } catch (e) {
      clash = e instanceof Error && /UNIQUE/.test(e.message) ? "unique" : String(e)
    }
    return [made["n"], again["n"], clash]
  }

  async transactions(): Promise<unknown[]> {
    const { storage } = this.ctx
    const { sql } = storage
    sql.exec("CREATE TABLE IF NOT EXISTS t (n)")
    sql.exec("DELETE FROM t")
    const attempt = (work: () => void): void => {
      try {
        storage.transactionSync(work)
      } catch {
        // That it is undone is what is looked at.
      }
    }
    attempt(() => {
      sql.exec("INSERT INTO t VALUES (1)")
      sql.exec("CREATE TABLE gone (n)")
      throw new Error("undo")
    })
    storage.transactionSync(() => {
      sql.exec("INSERT INTO t VALUES (2)")
      attempt(() => {
        sql.exec("INSERT INTO t VALUES (3)")
        throw new Error("undo")
      })
    })
    const tables = sql.exec("SELECT count(*) AS n FROM sqlite_master WHERE name = 'gone'").one()
    return [
      sql
        .exec("SELECT n FROM t")
        .toArray()
        .map((row) => row["n"]),
      tables["n"],
    ]
  }

  async keys(): Promise<unknown[]> {
    const { kv } = this.ctx.storage
    for (const [key] of kv.list()) kv.delete(key)
    kv.put("a/1", { x: [1, undefined, new Date(5)] })
    kv.put("a/2", "two")
    kv.put("b", 3)
    return [
      kv.get("a/1"),
      kv.get("nothing") === undefined,
      Array.from(kv.list({ prefix: "a/" }), ([key]) => key),
      Array.from(kv.list({ limit: 1 }), ([key]) => key),
      kv.delete("b"),
      kv.delete("b"),
    ]
  }

  /** A failing commit of one turn is none of it: what an aborted turn wrote is gone. */
  async writeAndDie(n: number): Promise<void> {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS w (n)")
    await this.ctx.storage.sync()
    this.ctx.storage.sql.exec("INSERT INTO w VALUES (?)", n)
    this.ctx.abort("the suite ends this life")
  }

  async write(n: number): Promise<void> {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS w (n)")
    this.ctx.storage.sql.exec("INSERT INTO w VALUES (?)", n)
  }

  async written(): Promise<unknown[]> {
    const { sql } = this.ctx.storage
    if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'w'").toArray().length === 0) return []
    return sql
      .exec("SELECT n FROM w ORDER BY n")
      .toArray()
      .map((row) => row["n"])
  }

  async empty(): Promise<unknown[]> {
    const { storage } = this.ctx
    storage.sql.exec("CREATE TABLE IF NOT EXISTS x (n)")
    storage.kv.put("k", 1)
    await storage.setAlarm(Date.now() + 60_000)
    await storage.deleteAll()
    const tables = storage.sql.exec("SELECT count(*) AS n FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").one()
    return [tables["n"], storage.kv.get("k") === undefined, await storage.getAlarm()]
  }

  async hang(): Promise<void> {
    await new Promise(() => {})
  }

  async die(): Promise<void> {
    this.ctx.abort("the suite ends this life")
  }

  async fail(): Promise<void> {
    throw Object.assign(new TypeError("no such thing"), { name: "TypeError", code: 7 })
  }

  async echo(value: unknown): Promise<unknown> {
    return value
  }

  async alarms(): Promise<unknown[]> {
    const { storage } = this.ctx
    const none = await storage.getAlarm()
    const at = Date.now() + 3_600_000
    await storage.setAlarm(at)
    const set = (await storage.getAlarm()) === at
    await storage.deleteAlarm()
    return [none, set, await storage.getAlarm()]
  }

  /** Rings so often: each ring sets the next, and the second fails once. */
  async ring(times: number): Promise<void> {
    const { kv } = this.ctx.storage
    kv.put("rings", [])
    kv.put("left", times)
    await this.ctx.storage.setAlarm(Date.now() + 10)
  }

  /** Its handler takes long, and sets an alarm that is due before its end. */
  async ringTwice(): Promise<void> {
    this.ctx.storage.kv.put("slow", 2)
    await this.ctx.storage.setAlarm(Date.now() + 10)
  }

  async #rings(left: number): Promise<void> {
    this.#order.push("begins")
    this.ctx.storage.kv.put("slow", left - 1)
    if (left > 1) await this.ctx.storage.setAlarm(Date.now() + 10)
    await new Promise((resolve) => setTimeout(resolve, 300))
    this.#order.push("ends")
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage
    const slow = kv.get<number>("slow") ?? 0
    if (slow > 0) return this.#rings(slow)
    const rings = kv.get<unknown[]>("rings") ?? []
    const left = kv.get<number>("left") ?? 0
    if (rings.length === 1 && kv.get("failed") === undefined) {
      kv.put("failed", true)
      await this.ctx.storage.sync()
      throw new Error("the handler fails once")
    }
    kv.put("rings", [...rings, await this.ctx.storage.getAlarm()])
    kv.put("left", left - 1)
    if (left > 1) await this.ctx.storage.setAlarm(Date.now() + 10)
  }

  async rings(): Promise<unknown[]> {
    const { kv } = this.ctx.storage
    return [kv.get("rings"), kv.get("left"), await this.ctx.storage.getAlarm()]
  }

  async note(what: string): Promise<void> {
    this.#order.push(what)
  }

  /** Calls of one stub arrive in the order in which they were made. */
  async tell(other: string): Promise<readonly string[]> {
    const stub = this.env.PROBE.get(this.env.PROBE.idFromName(other))
    await Promise.all(["1", "2", "3", "4"].map((it) => stub.note(it)))
    return stub.order()
  }

  async order(): Promise<readonly string[]> {
    return this.#order
  }

  /** A turn that only computes is not interrupted; while it waits for a timer, other calls have their turn. */
  async turns(): Promise<readonly string[]> {
    this.#order.push("begin")
    await Promise.resolve()
    this.#order.push("same turn")
    // A busy machine may bring the other call late.
    for (let n = 0; n < 1_000 && !this.#order.includes("between"); n++) await new Promise((resolve) => setTimeout(resolve, 5))
    this.#order.push("later")
    return this.#order
  }
}

/** Plays a case in workerd: its number is the path. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const one = CASES[Number(new URL(request.url).pathname.slice(1))]
    if (!one) return new Response("there is no such case", { status: 404 })
    const side: Side = {
      async call(object, method, ...args) {
        const stub = env.PROBE.get(env.PROBE.idFromName(object))
        const found = Reflect.get(stub, method) as (...of: readonly unknown[]) => Promise<unknown>
        return Reflect.apply(found, stub, args)
      },
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    }
    return new Response(await toldOf(one, side))
  },
}
