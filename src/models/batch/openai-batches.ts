// Adapts OpenAI's Batch API [R32–R37]: calls go up as a file, and replies come down as one. A batch carries our name, by which it is found
// when the answer to its sending was lost.

import { isObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { BatchedOutcome, ModelBatches, SentBatch } from "../../ports/model-batches.ts"
import type { ModelError } from "../../ports/model.ts"
import { refusal } from "../reply/failure.ts"
import { nameIn, orGone, type BatchDoor, type Members } from "./batch-door.ts"

const ENDPOINTS = { responses: "/v1/responses", chat: "/v1/chat/completions" } as const
const NAME = "sluice"
const DAY_MS = 86_400_000
/** The newest come first, and a batch is looked for right after it was sent: a page is enough. */
const PAGE = 100

export function openaiBatches(door: BatchDoor, api: keyof typeof ENDPOINTS): ModelBatches {
  const url = ENDPOINTS[api]
  const of = (id: string, signal: AbortSignal): Promise<Result<Members, ModelError>> => door.ask(`/batches/${id}`, { signal })
  return {
    async send(name, calls, signal) {
      const form = new FormData()
      form.set("purpose", "batch")
      form.set(
        "file",
        new Blob(calls.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"method":"POST","url":"${url}","body":${body}}\n`)),
        "calls.jsonl",
      )
      const file = await door.ask("/files", { method: "POST", body: form, signal })
      // Without a batch a file asks nothing.
      if (!file.ok) return err({ ...file.error, status: file.error.status ?? 503 })
      const input = nameIn(file.value["id"])
      if (input === undefined) return err(refusal("the provider's answer names no file"))
      const sent = await door.ask("/batches", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input_file_id: input, endpoint: url, completion_window: "24h", metadata: { [NAME]: name } }),
        signal,
      })
      return sent.ok ? sentOf(sent.value) : sent
    },
    async find(name, signal) {
      const all = await door.ask(`/batches?limit=${PAGE}`, { signal })
      if (!all.ok) return all
      const rows = Array.isArray(all.value["data"]) ? all.value["data"].filter(isObject) : []
      const row = rows.find(({ metadata }) => isObject(metadata) && metadata[NAME] === name)
      return row ? sentOf(row) : ok(undefined)
    },
    async look(id, signal) {
      const seen = await of(id, signal)
      if (!seen.ok) return seen.error.status === 404 ? ok({ isEnded: true, rest: { kind: "lost" } }) : seen
      const rest = restOf(seen.value)
      return ok(rest ? { isEnded: true, rest } : { isEnded: false })
    },
    async read(id, take, signal) {
      const seen = await of(id, signal)
      if (!seen.ok) return seen.error.status === 404 ? ok(undefined) : seen
      for (const file of filesOf(seen.value, ["output_file_id", "error_file_id"])) {
        const read = await door.lines(
          `/files/${file}/content`,
          async (line) => {
            if (typeof line["custom_id"] === "string") await take(line["custom_id"], outcomeOf(line))
          },
          signal,
        )
        if (!read.ok && read.error.status !== 404) return read
      }
      return ok(undefined)
    },
    cancel: async (id, signal) => {
      const done = orGone(await door.ask(`/batches/${id}/cancel`, { method: "POST", signal }))
      // One that is over cannot be canceled.
      return !done.ok && done.error.status === 400 ? ok(undefined) : done
    },
    async remove(id, signal) {
      const seen = await of(id, signal)
      if (!seen.ok) return orGone(seen)
      for (const file of filesOf(seen.value, ["input_file_id", "output_file_id", "error_file_id"])) {
        const removed = orGone(await door.ask(`/files/${file}`, { method: "DELETE", signal }))
        if (!removed.ok) return removed
      }
      return ok(undefined)
    },
  }
}

function sentOf({ id: given, expires_at: expires }: Members): Result<SentBatch, ModelError> {
  const id = nameIn(given)
  if (id === undefined) return err(refusal("the provider's answer names no batch"))
  return ok({ id, expires: typeof expires === "number" ? expires * 1_000 : Date.now() + DAY_MS })
}

/** What became of calls that no file names; undefined: the batch has not ended. */
function restOf({ status, errors }: Members): BatchedOutcome | undefined {
  switch (status) {
    case "completed":
      return { kind: "lost" }
    case "expired":
      return { kind: "expired" }
    case "cancelled":
      return { kind: "canceled" }
    case "failed": {
      const [first] = isObject(errors) && Array.isArray(errors["data"]) ? errors["data"].filter(isObject) : []
      return { kind: "answer", status: 400, body: JSON.stringify({ error: first ?? { message: "the batch failed" } }) }
    }
    default:
      return undefined
  }
}

const filesOf = (batch: Members, names: readonly string[]): string[] => names.flatMap((name) => nameIn(batch[name]) ?? [])

function outcomeOf({ response, error }: Members): BatchedOutcome {
  if (isObject(response) && typeof response["status_code"] === "number")
    return { kind: "answer", status: response["status_code"], body: JSON.stringify(response["body"] ?? {}) }
  const code = isObject(error) ? error["code"] : undefined
  if (code === "batch_expired") return { kind: "expired" }
  if (code === "batch_cancelled") return { kind: "canceled" }
  return isObject(error) ? { kind: "answer", status: 500, body: JSON.stringify({ error }) } : { kind: "lost" }
}
