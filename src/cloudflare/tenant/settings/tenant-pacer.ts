// Paces the model calls of a tenant [R28]: one pacer in the memory of its object, by the settings as they are. What answers taught is one row
// for each model, written at most hourly; a pacer that forgets the rest costs no more than what leaves at once.

import { Pacer, type PaceNow, type Question } from "../../../core/pacing/pacer.ts"
import type { Learned } from "../../../core/pacing/rate-line.ts"
import type { PacedSettings } from "../../../ports/tenant/pacing.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { SettingStore } from "./setting-store.ts"

const HOUR_MS = 3_600_000
/** What was learned of a model that nobody asks any more says nothing. */
const KEPT_MS = 30 * 24 * HOUR_MS

export class TenantPacer {
  readonly #sql: TenantSql
  readonly #settings: Pick<SettingStore, "get">
  readonly #pacer = new Pacer()
  readonly #written = new Map<string, { readonly at: number; readonly body: string }>()

  constructor(sql: TenantSql, settings: Pick<SettingStore, "get">) {
    this.#sql = sql
    this.#settings = settings
    if (!sql.has("learned_rate")) return
    for (const { model, body, at } of sql.read<{ model: string; body: string; at: number }>("SELECT model, body, at FROM learned_rate")) {
      this.#pacer.know(model, JSON.parse(body) as Learned)
      this.#written.set(model, { at, body })
    }
  }

  answer(provider: string, questions: readonly Question[], now: number): Omit<PacedSettings, "settings"> {
    this.#pacer.limit(this.#settings.get("pacing"))
    const answers = Object.fromEntries(questions.map((question) => [question.model, this.#pacer.ask(question, now)]))
    for (const { model, seen = [] } of questions) if (seen.length > 0) this.#keep(model, now)
    return { answers, bound: this.#pacer.bound(provider, now) }
  }

  /** [R29] The calls whose turn has come before the time that they were told, by their run and key. */
  woken(): readonly (readonly [run: string, key: string])[] {
    return this.#pacer.woken().flatMap((name) => {
      const at = name.indexOf(" ")
      return at < 0 ? [] : [[name.slice(0, at), name.slice(at + 1)] as const]
    })
  }

  standing(now: number): readonly PaceNow[] {
    this.#pacer.limit(this.#settings.get("pacing"))
    return this.#pacer.standing(now)
  }

  #keep(model: string, now: number): void {
    const body = JSON.stringify(this.#pacer.learned(model))
    const before = this.#written.get(model)
    if (body === "{}" || body === before?.body || (before && now - before.at < HOUR_MS)) return
    this.#written.set(model, { at: now, body })
    this.#sql.write((rows) => {
      this.#sql.make("learned_rate")
      rows.exec("INSERT OR REPLACE INTO learned_rate (model, body, at) VALUES (?, ?, ?)", model, body, now)
      rows.exec("DELETE FROM learned_rate WHERE at < ?", now - KEPT_MS)
    })
  }
}
