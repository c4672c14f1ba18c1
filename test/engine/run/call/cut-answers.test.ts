// What a handler, a server, a dispatcher and a log line show: secrets out first, then the cut [T32]. Each is cut at every place of a secret.

import { describe, expect, test, vi } from "vitest"
import { dispatchPlan } from "../../../../src/cloudflare/capabilities/plan-dispatch.ts"
import type { Env } from "../../../../src/cloudflare/platform/env.ts"
import { readDispatched } from "../../../../src/core/plans/plan-body.ts"
import { withHeader } from "../../../../src/core/flow/code-bundle.ts"
import type { Run } from "../../../../src/core/run/state.ts"
import { logText } from "../../../../src/core/secrets/log-text.ts"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import { readElicitation } from "../../../../src/core/tool/elicitation.ts"
import { cleanReply } from "../../../../src/engine/run/arrival.ts"
import { runCode } from "../../../../src/engine/run/call/run-code.ts"
import { look } from "../../../../src/engine/net/mcp-look.ts"
import { MAX_TEXT, type SandboxResult } from "../../../../src/ports/sandbox.ts"
import type { Stop } from "../../../../src/ports/model.ts"
import { Stand } from "../../../support/engine/stand.ts"

const SECRET = "hunter2, (the) 'long' one; and {more} of \"it\" until the end"
const redactor = new Redactor([["crm", [SECRET]]])
/** Of the secret's words, five of which are in no other text here. */
const leaks = (shown: unknown): boolean => /hunter2|\(the\)|'long'|\{more\}|until the e/.test(JSON.stringify(shown).replaceAll("\\", ""))
/** So much text that a cut after `most` characters falls into each part of the secret. */
const pads = (most: number): number[] => Array.from({ length: 9 }, (_, n) => Math.max(0, most - 4 - n * 7))
const said = (pad: number): string => `${"a ".repeat(pad / 2)}${SECRET} and more${" z".repeat(2_000)}`

const stop: Stop = { aborted: false, signal: new AbortController().signal, turn: async () => undefined }
const WISH = { do: "run-code", key: "k", step: "s", pass: 1, input: {} } as unknown as Parameters<typeof runCode>[2]
const RUN = { flow: "f", task: "t", plan: { steps: new Map() } } as unknown as Run

/** A handler's texts as its isolate sends them: cut where they are too long. */
const sent = (text: string): string => text.slice(0, MAX_TEXT)
const answeredBy = (result: SandboxResult) =>
  runCode(
    { handler: async () => ({ hash: "h", source: "" }), sandbox: { run: async () => result }, redactor: async () => redactor },
    RUN,
    WISH,
    stop,
  )

test("[F24b] a fault in a bundle is told with the file and line that its author wrote", async () => {
  const source = withHeader(
    {
      files: ["code/f/s.ts", "lib/a.ts"],
      packages: [],
      lines: [
        [2, 1, 7],
        [9, -1, 0],
      ],
    },
    "…",
  )
  const at = async (line: number) => {
    const sandbox = { run: async (): Promise<SandboxResult> => ({ ok: false, kind: "threw", message: "no", line, logs: [] }) }
    return runCode({ handler: async () => ({ hash: "h", source }), sandbox, redactor: async () => redactor }, RUN, WISH, stop)
  }
  expect([await at(3), await at(9)]).toMatchObject([{ message: "no (lib/a.ts:8)" }, { message: "no (line 9)" }])
})

describe("a handler", () => {
  test.each(pads(MAX_TEXT))(
    "[T32] whose text is cut %i characters in leaves no half of a secret in logs, summary and message",
    async (pad) => {
      const text = sent(said(pad))
      const ok = await answeredBy({ ok: true, value: { a: SECRET, [SECRET]: [text] }, summary: text, logs: ["short", text] })
      const failed = await answeredBy({ ok: false, kind: "threw", message: text, logs: [text] })
      expect([leaks({ ...ok, value: {} }), leaks(failed)]).toEqual([false, false])
      expect(ok).toMatchObject({
        ok: true,
        value: { a: "[secret:crm]" },
        summary: expect.stringMatching(/^a a .*…$/),
        logs: ["short", expect.anything()],
      })
      expect(failed).toMatchObject({ source: "code_error", message: expect.stringMatching(/^a a .*…$/) })
    },
  )

  test("[T32] whose texts are short says what it said, and one whose secrets cannot be read is not run", async () => {
    expect(await answeredBy({ ok: true, value: { a: 1 }, summary: "done", logs: ["one"] })).toEqual({
      ok: true,
      value: { a: 1 },
      summary: "done",
      logs: ["one"],
    })
    const run = vi.fn()
    const down = { handler: async () => ({ hash: "h", source: "" }), sandbox: { run }, redactor: () => Promise.reject(new Error("down")) }
    expect(await runCode(down, RUN, WISH, stop)).toMatchObject({
      ok: false,
      message: expect.stringContaining("the secrets vault does not answer"),
    })
    expect(run).not.toHaveBeenCalled()
  })
})

test("[T32] a dispatcher's answer has no secret when its unknown member is told, nor when it is refused", async () => {
  for (const pad of [...pads(64), ...pads(300)])
    for (const [status, body] of [
      [200, JSON.stringify({ [said(pad)]: 1 })],
      [200, JSON.stringify({ entitiesAffected: 1, summary: said(pad), details: { [SECRET]: SECRET } })],
      [503, said(pad)],
    ] as const) {
      const shop = { fetch: async () => new Response(body, { status }) }
      const deps = { env: { DISPATCH_SHOP: shop } as unknown as Env, secrets: async () => new Map([["crm", [SECRET]]]), now: () => 0 }
      const what = { run: "r", planId: "p" } as Parameters<typeof dispatchPlan>[2]
      const told = await dispatchPlan(deps, { binding: "DISPATCH_SHOP" }, what, stop.signal).then(readDispatched, (e: Error) => e.message)
      expect([pad, status, leaks(told)]).toEqual([pad, status, false])
    }
})

test("[T32] names and titles of an MCP server's list are cut after its secrets are gone", async () => {
  for (const most of [128, 200])
    for (const pad of pads(most)) {
      const entries = [
        { name: said(pad), inputSchema: { type: "object" } },
        { name: "one", title: said(pad), description: said(pad), inputSchema: { type: "object" } },
      ]
      const deps = {
        peer: { list: async () => entries, call: () => Promise.reject(new Error("none")) },
        net: { fetch: () => Promise.reject(new Error("none")) },
        vault: async () => ({ crm: [SECRET] }),
        connections: { token: async () => undefined },
      } as unknown as Parameters<typeof look>[0]
      const found = await look(deps, "crm", { url: "https://mcp.example/" })
      expect(found).toMatchObject({ list: { tools: [{ name: "one" }], leftOut: [{ reason: expect.stringContaining("its name") }] } })
      expect([pad, leaks(found)]).toEqual([pad, false])
    }
})

test("[T32] a form that cannot be shown names its field whole, for whoever looks for secrets in it", () => {
  for (const pad of pads(100)) {
    const name = said(pad)
    const read = readElicitation({ message: "x", requestedSchema: { type: "object", properties: { [name]: { type: "object" } } } })
    expect(read.ok ? "" : leaks(redactor.text(read.error))).toBe(false)
  }
})

test("[T32] a provider's refusal of a summary is cut after all secrets of the tenant are gone", async () => {
  const s = new Stand("name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n", [
    "---\nname: w\ndescription: d\ntools: [write, read]\n---\nWork.\n",
  ])
  s.redactor = redactor
  s.start()
  for (let n = 0; n < 3; n++) {
    await (await s.next("a")).answer({ calls: [{ name: "write", args: { path: `f${n}`, content: `x${n}` } }] })
    await s.settle()
  }
  await (await s.next("a")).answer({ error: { status: 400, retryable: false, overflow: true } })
  const summary = await s.next("a")
  // Whoever makes a failure of a provider's words is given what to look for.
  expect(summary.request.redactor?.text(SECRET)).toBe("[secret:crm]")
})

test("[T32] a reply's calls have no secret in names, ids and arguments, whether these are JSON or not", async () => {
  const calls = [
    "{",
    JSON.stringify({ a: SECRET, [SECRET]: 1 }),
    `{"a":${"[".repeat(80)}${JSON.stringify(SECRET)}${"]".repeat(80)}}`,
    `{"a":"${SECRET}`,
  ]
  const final = {
    type: "final",
    text: said(10),
    thinking: false,
    stopReason: "tool_use",
    toolCalls: calls.map((args, n) => ({ id: `${n} ${SECRET}`, name: SECRET, args })),
    error: { message: said(0), retryable: false },
  } as unknown as Parameters<typeof cleanReply>[0]
  const clean = await cleanReply(final, redactor)
  expect(leaks(clean)).toBe(false)
  expect(JSON.parse(clean.toolCalls[1]?.args ?? "")).toEqual({ a: "[secret:crm]", "[secret:crm]": 1 })
})

test("[N8] [T32] a log line that is cut in the middle of a token, behind addresses that become short, shows no part of it", () => {
  const token = `sk-${"Q7x9".repeat(30)}`
  for (let end = 0; end < token.length; end += 5) {
    const address = `https://a.example/${"p".repeat(75)} `
    const before = `${address.repeat(168)}${"b ".repeat(5_000)}`.slice(0, 16_000 - end)
    const line = logText(`${before} ${token} ${"c ".repeat(4_000)}`)
    expect(line).not.toContain("Q7x9")
  }
})
