// The floor: a bare Durable Object that commits a row for each step and waits until it is on disk, and nothing else.

import { DurableObject } from "cloudflare:workers"
import { agentStep, AGENTS, CHAIN, finish, taskOf, WIDTH } from "../work.mjs"

export class Bare extends DurableObject {
  #seq = 0

  async run(work) {
    const { sql } = this.ctx.storage
    sql.exec("CREATE TABLE entry (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    this.#put({ started: work, task: "go" })
    const at = await this.#works(work)
    await this.#commit({ ended: work })
    return at
  }

  /** The first event only, for bench/start.ts: on disk before the answer. */
  async begin() {
    this.ctx.storage.sql.exec("CREATE TABLE entry (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    await this.#commit({ started: "w1", task: "go" })
  }

  /** The rows as server-sent events. */
  fetch() {
    const rows = this.ctx.storage.sql.exec("SELECT seq, body FROM entry ORDER BY seq").toArray()
    const { readable, writable } = new TransformStream()
    const to = writable.getWriter()
    void to.write(new TextEncoder().encode(rows.map(({ seq, body }) => `id: ${seq}\ndata: ${body}\n\n`).join("")))
    return new Response(readable, { headers: { "content-type": "text/event-stream" } })
  }

  async #works(work) {
    if (work === "w3") {
      this.#put({ begun: WIDTH })
      await Promise.all(Array.from({ length: WIDTH }, (_, i) => this.#commit({ step: taskOf(i), result: finish() })))
      await this.#commit({ step: "join", result: finish() })
      return []
    }
    if (work === "w4") {
      for (let i = 0; i < AGENTS; i++)
        await agentStep(i, this.env.MODEL, async (name, act) => {
          const result = await act()
          await this.#commit({ name, result })
          return result
        })
      return []
    }
    const at = []
    for (let i = 0; i < CHAIN[work]; i++) {
      await this.#commit({ step: taskOf(i), result: finish() })
      at.push(Date.now())
    }
    return at
  }

  #put(body) {
    this.ctx.storage.sql.exec("INSERT INTO entry VALUES (?, ?)", this.#seq++, JSON.stringify(body))
  }

  async #commit(body) {
    this.#put(body)
    await this.ctx.storage.sync()
  }
}

export default {
  async fetch(request, env) {
    const [, work, id] = new URL(request.url).pathname.split("/")
    if (work === "up") return new Response("ok")
    const bare = env.BARE.getByName(id)
    if (work === "events") return bare.fetch(request)
    if (work === "begin") {
      await bare.begin()
      return Response.json({ id }, { status: 202 })
    }
    return Response.json({ at: await bare.run(work) })
  },
}
