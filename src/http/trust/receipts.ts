// Serves receipts of runs [K40-K42], their verification, and the instance's public keys.

import { trust } from "../../api/trust.ts"
import { NoBody } from "../../api/route/route.ts"
import { footerText } from "../../engine/receipt/receipt.ts"
import type { ReceiptStart, RunPort } from "../../ports/run.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { lost, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { runOf } from "../runs/runs.ts"

/** Events of a page. */
const AT_ONCE = 500

const encoder = new TextEncoder()

export async function getReceipt(c: Call): Promise<Response> {
  const port = runOf(c)
  const start = await port?.receipt()
  if (!port || !start) return refuse(c, NOT_FOUND)
  if (!start.ok && start.code === "definitions_lost") return refuse(c, lost(start.why))
  if (!start.ok) return refuse(c, { code: "run_not_over", detail: "Only a run that has ended has a receipt." })
  const { header, events, head, at } = start
  try {
    const footer = await c.get("services").signing.sign({ header, events, head, at })
    return c.body(linesOf(port, start, footerText(footer)), 200, { "content-type": "application/jsonl; charset=utf-8" })
  } catch (e) {
    // RPC keeps the name of an error, not its class.
    if (e instanceof Error && e.name === "VaultError") return refuse(c, { code: "not_configured", detail: e.message })
    throw e
  }
}

/** One page of events in memory at a time. */
function linesOf(port: RunPort, { text, events }: ReceiptStart, footer: string): ReadableStream<Uint8Array> {
  let at = 0
  let isBegun = false
  const next = async (): Promise<string[]> => {
    if (!isBegun) {
      isBegun = true
      return [text]
    }
    const page = await port.journal(at, Math.min(AT_ONCE, events - at))
    const last = page?.at(-1)
    if (!page || !last) throw new Error("the run was deleted while its receipt was read")
    at = last.seq
    return page.map((e) => JSON.stringify(e))
  }
  return new ReadableStream({
    async pull(controller) {
      const lines = isBegun && at >= events ? [footer] : await next()
      controller.enqueue(encoder.encode(lines.map((line) => `${line}\n`).join("")))
      if (lines[0] === footer) controller.close()
    },
  })
}

/** Verifies a receipt. For any input, the response names the faults. */
export async function verifyReceipt(c: Call): Promise<Response> {
  return c.json(await c.get("services").signing.verify(c.get("body")))
}

export async function getSigningKeys(c: Call): Promise<Response> {
  return c.json({ keys: await c.get("services").signing.keys() })
}

/** Creates a new signing key. Old keys stay, so that old receipts remain valid. */
export async function rotateSigningKey(c: Call): Promise<Response> {
  const body = json(c, NoBody)
  if (!body.ok) return refuse(c, body.error)
  try {
    const key = await c.get("services").signing.rotate()
    if (key !== "full") return c.json(key, 201)
  } catch (e) {
    if (e instanceof Error && e.name === "VaultError") return refuse(c, { code: "not_configured", detail: e.message })
    throw e
  }
  return refuse(c, { code: "too_many_signing_keys", detail: "The instance keeps all signing keys, and cannot store more." })
}

export const RECEIPT_ROUTES = routes(trust, { getReceipt, verifyReceipt, getSigningKeys, rotateSigningKey })
