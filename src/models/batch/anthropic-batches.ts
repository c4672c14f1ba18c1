// Adapts Anthropic's Message Batches [R32–R37]. It keeps no name of ours, so a batch whose answer was lost is not found again.

import { isObject } from "../../core/json.ts"
import { err, ok } from "../../core/result.ts"
import type { BatchedOutcome, ModelBatches } from "../../ports/model-batches.ts"
import { refusal } from "../reply/failure.ts"
import { nameIn, orGone, type BatchDoor, type Members } from "./batch-door.ts"

const PATH = "/messages/batches"
const DAY_MS = 86_400_000

export function anthropicBatches(door: BatchDoor): ModelBatches {
  return {
    async send(_name, calls, signal) {
      const betas = [...new Set(calls.flatMap(({ beta }) => (beta === undefined ? [] : beta.split(","))))].join(",")
      const requests = calls.map(({ id, body }, i) => `${i === 0 ? "" : ","}{"custom_id":${JSON.stringify(id)},"params":${body}}`)
      const sent = await door.ask(PATH, {
        method: "POST",
        headers: { "content-type": "application/json", ...(betas === "" ? {} : { "anthropic-beta": betas }) },
        body: new Blob(['{"requests":[', ...requests, "]}"]),
        signal,
      })
      if (!sent.ok) return sent
      const id = nameIn(sent.value["id"])
      const expires = Date.parse(String(sent.value["expires_at"]))
      return id === undefined ? err(refusal("the provider's answer names no batch")) : ok({ id, expires: expires || Date.now() + DAY_MS })
    },
    async look(id, signal) {
      const seen = await door.ask(`${PATH}/${id}`, { signal })
      if (!seen.ok) return seen.error.status === 404 ? ok({ isEnded: true, rest: { kind: "lost" } }) : seen
      return ok(seen.value["processing_status"] === "ended" ? { isEnded: true, rest: { kind: "lost" } } : { isEnded: false })
    },
    async read(id, take, signal) {
      const read = await door.lines(
        `${PATH}/${id}/results`,
        async ({ custom_id, result }) => {
          if (typeof custom_id === "string" && isObject(result)) await take(custom_id, outcomeOf(result))
        },
        signal,
      )
      return read.ok || read.error.status !== 404 ? read : ok(undefined)
    },
    cancel: async (id, signal) => orGone(await door.ask(`${PATH}/${id}/cancel`, { method: "POST", signal })),
    remove: async (id, signal) => orGone(await door.ask(`${PATH}/${id}`, { method: "DELETE", signal })),
  }
}

function outcomeOf({ type, message, error }: Members): BatchedOutcome {
  if (type === "succeeded") return { kind: "answer", status: 200, body: JSON.stringify(message) }
  if (type === "expired" || type === "canceled") return { kind: type }
  if (type !== "errored") return { kind: "lost" }
  const inner = isObject(error) && isObject(error["error"]) ? error["error"] : isObject(error) ? error : {}
  return { kind: "answer", status: STATUS[String(inner["type"])] ?? 500, body: JSON.stringify(error ?? {}) }
}

/** The status with which the same error comes at once. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}
