// Stores questions outside any run. The newest 1,000 are kept; an open question is withdrawn when it drops out.

import { isoTime } from "../../core/text/iso-time.ts"
import type { JsonObject } from "../../core/json.ts"
import { askUser, checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { QuestionAnswer, QuestionView } from "../../ports/tenant/questions.ts"
import { clock } from "../platform/clock.ts"
import { Waiters } from "../platform/waiters.ts"
import type { TenantSql } from "./tenant-sql.ts"

const MAX_STORED = 1_000 // limit: questions stored of a tenant → the oldest answered one is forgotten
const OPEN_LIMIT = 200 // limit: open questions outside runs → the tool fails

type Row = { id: string; status: string; payload: string; schema: string; answer: string | null; by: string | null; at: number }

export class QuestionStore {
  readonly #sql: TenantSql
  readonly #waiters = new Map<string, Waiters>()

  readonly #told: (question: QuestionView) => void

  /** `told`: of each question that is asked or answered. */
  constructor(sql: TenantSql, told: (question: QuestionView) => void = () => undefined) {
    this.#sql = sql
    this.#told = told
  }

  ask(args: JsonObject, by: string, act = clock.id()): QuestionView {
    const id = `q_${act}`
    const existing = this.find(id)
    if (existing) return existing
    const { payload, schema } = askUser(id, "", by, { id, name: "ask_user", args }, args)
    const { agent: _agent, ...shown } = payload
    this.#sql.write((sql) => {
      const at = Date.now()
      const [body, form] = [JSON.stringify(shown), JSON.stringify(schema)]
      sql.exec("INSERT INTO question (id, status, payload, schema, at) VALUES (?, 'pending', ?, ?, ?)", id, body, form, at)
      sql.exec("DELETE FROM question WHERE id NOT IN (SELECT id FROM question ORDER BY at DESC, id DESC LIMIT ?)", MAX_STORED)
    })
    const asked = this.#view(id)
    this.#told(asked)
    return asked
  }

  open(): QuestionView[] {
    return this.#sql.read<Row>("SELECT * FROM question WHERE status = 'pending' ORDER BY at, id LIMIT ?", OPEN_LIMIT).map(viewOf)
  }

  openCount(): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM question WHERE status = 'pending'")[0]?.n ?? 0
  }

  find(id: string): QuestionView | undefined {
    const [row] = this.#sql.read<Row>("SELECT * FROM question WHERE id = ?", id)
    return row && viewOf(row)
  }

  answer(id: string, body: Answer, by: string): QuestionAnswer {
    const question = this.find(id)
    if (!question) return { ok: false, code: "not_found" }
    if (question.status !== "pending") return { ok: false, code: "already_answered", question }
    const fits = checkAnswer({ schema: question.schema }, body)
    if (!fits.ok) return { ok: false, code: "invalid", errors: fits.error }
    this.#sql.write((sql) =>
      sql.exec("UPDATE question SET status = 'answered', answer = ?, by = ? WHERE id = ?", JSON.stringify(body), by, id),
    )
    this.#waiters.get(id)?.wake()
    const decided = this.#view(id)
    this.#told(decided)
    return { ok: true, question: decided }
  }

  async wait(id: string, ms: number): Promise<QuestionView | undefined> {
    if (this.find(id)?.status !== "pending" || ms <= 0) return this.find(id)
    const waiters = this.#waiters.get(id) ?? new Waiters()
    this.#waiters.set(id, waiters)
    await waiters.wait(ms)
    if (waiters.size === 0) this.#waiters.delete(id)
    return this.find(id)
  }

  #view(id: string): QuestionView {
    const view = this.find(id)
    if (!view) throw new Error(`the question ${id} was written but cannot be found`)
    return view
  }
}

const STATUS = { pending: "pending", answered: "answered" } as const

const viewOf = (row: Row): QuestionView => ({
  id: row.id,
  run: null,
  kind: "ask_user",
  status: row.status === STATUS.answered ? "answered" : "pending",
  payload: JSON.parse(row.payload),
  schema: JSON.parse(row.schema),
  created: isoTime(row.at),
  ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) }),
  ...(row.by === null ? {} : { by: row.by }),
})
