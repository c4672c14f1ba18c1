// A handler's isolate shares the thread with everything else: before each call, other work gets a turn.

import { expect, test } from "vitest"
import { loaderSandbox } from "../../../src/cloudflare/sandbox/sandbox-loader.ts"

test("[N4] before a handler begins, whatever waits for the thread has a turn, for each step of a chain", async () => {
  const order: string[] = []
  const answer = (): Promise<Response> => {
    order.push("handler")
    return Promise.resolve(new Response(`${JSON.stringify({ ok: true, value: {} })}\n`))
  }
  const loader = { get: () => ({ getEntrypoint: () => ({ fetch: answer }) }) } as unknown as WorkerLoader
  const sandbox = loaderSandbox(loader, "acme")
  for (const step of ["one", "two", "three"]) {
    setTimeout(() => order.push("other"), 0)
    const ctx = { flow: "f", step, task: "" }
    const result = await sandbox.run({ hash: "h", source: "", input: {}, ctx, timeoutMs: 60_000, signal: new AbortController().signal })
    expect(result).toMatchObject({ ok: true })
  }
  expect(order).toEqual(["other", "handler", "other", "handler", "other", "handler"])
})
