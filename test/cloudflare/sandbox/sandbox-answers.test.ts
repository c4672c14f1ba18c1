// The isolate of a handler is not trusted: whatever it answers in place of its harness is checked.

import { expect, test } from "vitest"
import { loaderSandbox } from "../../../src/cloudflare/sandbox/sandbox-loader.ts"

const saying = (answer: string): Response => new Response(null, { headers: { "sluice-answer": answer } })

async function resultOf(answer: Response): Promise<unknown> {
  const loader = { get: () => ({ getEntrypoint: () => ({ fetch: () => Promise.resolve(answer) }) }) } as unknown as WorkerLoader
  const { signal } = new AbortController()
  const ctx = { flow: "f", step: "s", task: "" }
  return loaderSandbox(loader, "acme").run({
    hash: "h",
    source: "",
    input: {},
    ctx,
    timeoutMs: 60_000,
    signal,
    turn: () => Promise.resolve(),
  })
}

test.each([
  ["no JSON", saying("{")],
  ["no object", saying("[1]")],
  ["a log, and no result", saying('{"log":"x"}')],
  ["longer than a short answer", saying(JSON.stringify({ ok: true, value: { a: "x".repeat(5_000) } }))],
  ["a value that is no object", saying('{"ok":true,"value":1}')],
  ["neither an answer nor a body", new Response(null)],
  ["a body without an answer", new Response('{"log":"x"}\n')],
])("[F24] an isolate that answers with %s has crashed", async (_, answer) => {
  expect(await resultOf(answer)).toMatchObject({ ok: false, kind: "crashed" })
})

test("[F24] an answer is nested no deeper than a result may be", async () => {
  const deep = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`
  expect(await resultOf(saying(`{"ok":true,"value":${deep}}`))).toMatchObject({ ok: false, kind: "contract" })
})

test.each([
  ["in its head", saying('{"ok":true,"value":{"a":1}}')],
  ["in its body", new Response('{"ok":true,"value":{"a":1}}\n')],
])("[F24] an answer %s is the result", async (_, answer) => {
  expect(await resultOf(answer)).toEqual({ ok: true, value: { a: 1 }, logs: [] })
})
