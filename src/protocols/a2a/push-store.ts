// Stores push configurations of runs [P17]. Credentials are encrypted, and decrypted only for sending.

import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { Notice } from "../../core/run/notice.ts"
import { questionParts, taskMessage, taskStatus } from "./run-task.ts"
import { MOST_PUSHES, type PushConfig, type PushRow } from "../../ports/tenant/callbacks.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"

type Record = { id: string; url: string; scheme: string | null; sealed: ArrayBuffer }

/** The `callback` of a message that is for a push configuration. */
const MARK = "push:"

interface Rows {
  read<T extends globalThis.Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): readonly T[]
  write(work: (sql: Pick<SqlStorage, "exec">) => void): void
}
/** Each value is sealed for its own name. */
interface Seals {
  seal(name: string, value: string): Promise<ArrayBuffer>
  open(name: string, sealed: ArrayBuffer): Promise<string>
}

export class PushStore {
  readonly #sql: Rows
  readonly #values: Seals

  constructor(sql: Rows, values: Seals) {
    this.#sql = sql
    this.#values = values
  }

  async add(run: string, { id, url, scheme, token, credentials }: PushConfig): Promise<"ok" | "full"> {
    const sealed = await this.#values.seal(`${run}/${id}`, JSON.stringify({ token, credentials }))
    const others = this.of(run).filter((one) => one.id !== id)
    if (others.length >= MOST_PUSHES) return "full"
    this.#sql.write((sql) =>
      sql.exec(
        "INSERT OR REPLACE INTO push_config (run, id, url, scheme, sealed) VALUES (?, ?, ?, ?, ?)",
        run,
        id,
        url,
        scheme ?? null,
        sealed,
      ),
    )
    return "ok"
  }

  of(run: string): PushRow[] {
    return this.#sql
      .read<Record>("SELECT id, url, scheme, sealed FROM push_config WHERE run = ? ORDER BY id", run)
      .map(({ id, url, scheme }) => ({ id, url, ...(scheme === null ? {} : { scheme }) }))
  }

  /** With the messages to it that are not sent yet. */
  remove(run: string, id: string): void {
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM push_config WHERE run = ? AND id = ?", run, id)
      sql.exec("DELETE FROM callback_message WHERE run = ? AND callback = ? AND status = 'pending'", run, MARK + id)
    })
  }

  /** The run is deleted. */
  drop(run: string): void {
    if (this.of(run).length > 0) this.#sql.write((sql) => sql.exec("DELETE FROM push_config WHERE run = ?", run))
  }

  /** What a message to it is sent with; undefined: it is gone. */
  async headers(run: string, callback: string): Promise<Readonly<globalThis.Record<string, string>> | undefined> {
    const id = callback.slice(MARK.length)
    const [row] = this.#sql.read<Record>("SELECT id, url, scheme, sealed FROM push_config WHERE run = ? AND id = ?", run, id)
    if (!row) return undefined
    const { token, credentials } = JSON.parse(await this.#values.open(`${run}/${id}`, row.sealed)) as Pick<
      PushConfig,
      "token" | "credentials"
    >
    return {
      "content-type": "application/a2a+json",
      ...(row.scheme === null ? {} : { authorization: [row.scheme, ...(credentials === undefined ? [] : [credentials])].join(" ") }),
      ...defined({ "x-a2a-notification-token": token }),
    }
  }
}

export const isPush = (callback: string | null): callback is string => callback?.startsWith(MARK) === true
export const pushMark = (id: string): string => MARK + id

const STATES = {
  "run.waiting": "INPUT_REQUIRED",
  "run.succeeded": "COMPLETED",
  "run.failed": "FAILED",
  "run.canceled": "CANCELED",
} as const

/** The A2A update for a notice, with the run's question or the cause of its failure. */
export function pushBody({ type, seq, at }: Notice, { id: run, view, told }: ListedRun): string {
  const thread = typeof view["thread"] === "string" ? view["thread"] : run
  const asked = told?.interaction
  const error = view["error"] as { readonly message?: string } | undefined
  const parts: JsonObject[] | undefined =
    type === "run.waiting" && asked !== undefined
      ? questionParts(run, [
          {
            ...defined({ run: asked.run }),
            id: asked.id,
            kind: asked.kind as Parameters<typeof questionParts>[1][number]["kind"],
            step: asked.step,
            payload: asked.payload ?? {},
            schema: {},
            ...defined({ expires: isoTime(asked.expires) }),
          },
        ])
      : (type === "run.failed" || type === "run.canceled") && typeof error?.message === "string"
        ? [{ text: error.message }]
        : undefined
  const message = parts && taskMessage({ run, thread }, `e${seq}`, "AGENT", parts)
  return JSON.stringify({ statusUpdate: { taskId: run, contextId: thread, status: taskStatus(STATES[type], at, message) } })
}
