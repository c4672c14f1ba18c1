// One tenant's sticky sessions in memory: like the tenant's object, without its tables, expiry and lost claims.

import type { Claim, Claimed, SessionRow, StickySessions } from "../../../src/ports/tenant/sessions.ts"

interface Kept {
  readonly agent: string
  readonly id: string
  chunks: { hash: string; bytes: number }[]
  tainted: boolean
  private: boolean
  claim: string | undefined
}

export class MemorySessions implements StickySessions {
  readonly #kept = new Map<string, Kept>()

  async claim({ agent, id, by, mustExist, tainted = false }: Claim): Promise<Claimed> {
    const key = `${agent}/${id}`
    const there = this.#kept.get(key)
    if (!there && mustExist) return { ok: false, code: "unknown" }
    if (there?.claim !== undefined && there.claim !== by) return { ok: false, code: "busy", by: there.claim }
    const kept: Kept = there ?? { agent, id, chunks: [], tainted, private: false, claim: by }
    kept.claim = by
    this.#kept.set(key, kept)
    return { ...(await this.look(agent, id)), isNew: !there } as Claimed
  }

  async look(agent: string, id: string): Promise<Claimed> {
    const kept = this.#kept.get(`${agent}/${id}`)
    const chunks = kept?.chunks ?? []
    return {
      ok: true,
      isNew: !kept,
      chunks: chunks.map((c) => c.hash),
      bytes: chunks.reduce((sum, c) => sum + c.bytes, 0),
      tainted: kept?.tainted === true,
      private: kept?.private === true,
    }
  }

  async giveBack({ agent, id, by }: Claim, said?: Parameters<StickySessions["giveBack"]>[1]): Promise<void> {
    const kept = this.#kept.get(`${agent}/${id}`)
    if (kept?.claim !== by) return
    kept.claim = undefined
    if (!said) return
    kept.chunks.push({ hash: said.chunk, bytes: said.bytes })
    kept.tainted ||= said.tainted
    kept.private ||= said.private
  }

  async list(): Promise<SessionRow[]> {
    const at = new Date(0).toISOString()
    return [...this.#kept.values()].map(({ agent, id, chunks, tainted, claim }) => ({
      agent,
      id,
      created: at,
      used: at,
      expires: at,
      runs: chunks.length,
      bytes: chunks.reduce((sum, c) => sum + c.bytes, 0),
      tainted,
      busy: claim !== undefined,
    }))
  }

  async parts(agent: string, id: string, after: number, limit: number) {
    const session = (await this.list()).find((row) => row.agent === agent && row.id === id)
    const chunks = this.#kept.get(`${agent}/${id}`)?.chunks ?? []
    return session && { session, parts: chunks.map(({ hash }, i) => ({ seq: i + 1, hash, at: 0 })).slice(after, after + limit) }
  }

  async remove(agent: string, id: string): Promise<boolean> {
    return this.#kept.delete(`${agent}/${id}`)
  }
}
