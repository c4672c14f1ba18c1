import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { loaderSandbox } from "../../../src/cloudflare/sandbox/sandbox-loader.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { sourceOf, withHeader } from "../../../src/core/flow/code-bundle.ts"
import { stripTypes } from "../../../src/engine/code/strip-types.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import type { RecordedCall, SandboxResult } from "../../../src/ports/sandbox.ts"

interface Wish {
  readonly input?: JsonObject
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly onLog?: (message: string) => void
  readonly tenant?: string
  /** The handler may call tools: these calls it has made before. */
  readonly calls?: readonly RecordedCall[]
  /** What a handler that its own clock does not end has above its time. */
  readonly graceMs?: number
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** Like a catalog write: strips the types, then hashes the result. */
async function run(text: string, wish: Wish = {}): Promise<SandboxResult> {
  const { code, diagnostics } = stripTypes(text, "ts")
  if (code === undefined) throw new Error(JSON.stringify(diagnostics))
  return runCode(code, wish)
}

async function runCode(
  source: string,
  { input = {}, timeoutMs = 60_000, signal, onLog, tenant = "acme", graceMs, calls }: Wish = {},
): Promise<SandboxResult> {
  return loaderSandbox(env.LOADER, tenant, graceMs).run({
    hash: await sha256(source),
    source,
    input,
    ctx: { flow: "legal:nda", step: "check", task: "look" },
    timeoutMs,
    signal: signal ?? new AbortController().signal,
    turn,
    ...(calls ? { calls } : {}),
    ...(onLog ? { onLog } : {}),
  })
}

const value = async (body: string, wish?: Wish): Promise<unknown> => {
  const result = await run(`export default async function (input: any, ctx: any): Promise<unknown> {\n${body}\n}`, wish)
  return result.ok ? result.value : result
}

describe("sandbox: a handler's input", () => {
  test("[F24] input keeps its JSON types, and the result comes back as JSON", async () => {
    const input = { n: 2.5, list: [1, { deep: null }], text: "ä\u2028😀", yes: true }
    expect(await value("return { ...input, again: input }", { input })).toEqual({ ...input, again: input })
  })

  test("[F24] ctx has flow, step, task and a signal; the summary and the log come with the result", async () => {
    const heard: string[] = []
    const result = await run(
      `export default (_input: unknown, ctx: any) => {
        ctx.log("one"); ctx.log({ two: 2 }); ctx.setSummary("first"); ctx.setSummary("done")
        return { flow: ctx.flow, step: ctx.step, task: ctx.task, aborted: ctx.signal.aborted, keys: Object.keys(ctx).sort() }
      }`,
      { onLog: (message) => heard.push(message) },
    )
    expect(result).toEqual({
      ok: true,
      value: {
        flow: "legal:nda",
        step: "check",
        task: "look",
        aborted: false,
        keys: ["flow", "log", "setSummary", "signal", "step", "task"],
      },
      summary: "done",
      logs: ["one", '{"two":2}'],
    })
    expect(heard).toEqual(["one", '{"two":2}'])
  })

  test("[F24] logs from before a failure are kept", async () => {
    const result = await run(`export default (i, ctx) => { ctx.log("so far"); throw new Error("no further") }`)
    expect(result).toMatchObject({ ok: false, kind: "threw", logs: ["so far"] })
  })

  test("[F24] the log of a handler that never stops logging is cut, and the handler still answers", async () => {
    const result = await run(`export default (i, ctx) => { for (let n = 0; n < 5000; n++) ctx.log("x".repeat(5000)); return {} }`)
    expect(result.ok).toBe(true)
    expect(result.logs).toHaveLength(200)
    expect(result.logs[0]).toHaveLength(2000)
    expect(result.logs.at(-1)).toContain("the rest is dropped")
  })
})

describe("sandbox: failures", () => {
  test("[F24] a thrown error is a result with its line in the original file", async () => {
    const result = await run(`type A = {\n  a: string\n}\nexport default (input: A): never => {\n  throw new TypeError("bad a")\n}`)
    expect(result).toEqual({ ok: false, kind: "threw", message: "the handler threw TypeError: bad a", line: 5, logs: [] })
  })

  test("[F24b] a bundle runs as it is stored, and its lines are counted with the first", async () => {
    const header = { files: ["code/legal/nda/check.ts", "lib/a.ts"], packages: [], lines: [[2, 1, 7]] as [number, number, number][] }
    const bundle = withHeader(
      header,
      'var no = () => {\n  throw new TypeError("bad b");\n};\nvar check = () => no();\nexport { check as default };\n',
    )
    const result = await run(bundle)
    expect(result).toEqual({ ok: false, kind: "threw", message: "the handler threw TypeError: bad b", line: 3, logs: [] })
    expect(sourceOf(header, 3)).toEqual({ file: "lib/a.ts", line: 8 })
  })

  test.for([
    ["the one that is there", `export default () => { throw new FlowHardError("stop") }`],
    ["by the name of its class", `class FlowHardError extends Error {}\nexport default () => { throw new FlowHardError("stop") }`],
    ["by the name of the error", `export default async () => { throw Object.assign(new Error("stop"), { name: "FlowHardError" }) }`],
  ])("[F24] an error named FlowHardError is told apart: %s", async ([, text]) => {
    expect(await runCode(text ?? "")).toMatchObject({ ok: false, kind: "flow_hard_error", message: "stop" })
  })

  test("[F24] an error without a message says so, also one that fails the run", async () => {
    expect(await run(`export default () => {\n  throw new Error("")\n}`)).toMatchObject({
      message: "the handler threw Error without a message",
      line: 2,
    })
    expect(await run(`export default () => { throw new FlowHardError("") }`)).toMatchObject({
      kind: "flow_hard_error",
      message: "no message",
    })
  })

  test.for([
    ["null", "the handler threw null"],
    ["'text'", "the handler threw text"],
    ["Object.create(null)", "the handler threw {}"],
    ["new Error('')", "the handler threw Error without a message"],
    ["new (class Late extends RangeError {})()", "the handler threw RangeError without a message"],
    ["Object.assign(new Error(), { name: 'Lost', code: 7 })", "the handler threw Lost without a message"],
    ["{ code: 7 }", 'the handler threw {"code":7}'],
    ["new Proxy({}, { get() { throw 1 } })", "cannot be shown"],
  ])("[F24] whatever is thrown is told in a sentence: %s", async ([thrown, message]) => {
    const result = await run(`export default () => { throw ${thrown} }`)
    expect(result).toMatchObject({ ok: false, kind: "threw", message: expect.stringContaining(message ?? "") })
  })

  test("[F24] a module that throws while loading, and one that cannot be parsed", async () => {
    expect(await run(`throw new Error("top")\nexport default () => ({})`)).toMatchObject({ ok: false, kind: "threw", line: 1 })
    expect(await runCode(`export default (`)).toMatchObject({
      ok: false,
      kind: "crashed",
      message: expect.stringContaining("cannot run: line 1"),
    })
  })

  test("[F24] a default export that is not a function", async () => {
    expect(await run(`const x = JSON.parse("1")\nexport default x`)).toMatchObject({ ok: false, kind: "no_default" })
  })

  test("[F24] without the binding the message says what to configure", async () => {
    const result = await loaderSandbox(undefined, "acme").run({
      hash: "h",
      source: "",
      input: {},
      ctx: { flow: "f", step: "s", task: "" },
      timeoutMs: 1,
      signal: new AbortController().signal,
      turn,
    })
    expect(result).toMatchObject({ ok: false, kind: "missing_binding", message: expect.stringContaining("[[worker_loaders]]") })
  })
})

describe("sandbox: time", () => {
  test("[F24] a timeout aborts the signal in the handler and ends the call, even if the handler keeps waiting", async () => {
    const result = await run(
      `export default (i, ctx) => { ctx.signal.addEventListener("abort", () => ctx.log("aborted: " + ctx.signal.reason.message)); return new Promise(() => {}) }`,
      { timeoutMs: 60 },
    )
    expect(result).toEqual({
      ok: false,
      kind: "timeout",
      message: "the handler did not end within 60 ms",
      logs: ["aborted: the handler's time is over"],
    })
  })

  test.for([
    ["a loop", `for (;;);`],
    ["a loop that catches what ends it", `for (;;) { try { for (;;); } catch {} }`],
    ["a recursion", `const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); f(90)`],
    ["a loop that only ever awaits what is there", `while (true) await null`],
    ["microtasks that call for each other", `await new Promise(() => { const again = () => queueMicrotask(again); again() })`],
    ["promises that call for each other", `const again = () => Promise.resolve().then(again); await again()`],
  ])("[F24] a handler that computes forever is stopped: %s", async ([, spin]) => {
    const result = await run(`export default async (i: unknown) => {\n${spin}\nreturn {} }`, { timeoutMs: 80, graceMs: 500 })
    expect(result).toMatchObject({ ok: false, kind: "timeout" })
    expect(await value("return { alive: true }")).toEqual({ alive: true })
  })

  test("[F24] a module that never finishes loading is stopped too", async () => {
    expect(await run(`for (;;);\nexport default () => ({})`, { timeoutMs: 80 })).toMatchObject({ ok: false, kind: "timeout" })
  })

  test("[F24] the end of the run ends the handler, both before it begins and while it runs", async () => {
    expect(await run(`export default () => ({})`, { signal: AbortSignal.abort() })).toMatchObject({ ok: false, kind: "aborted" })
    const ending = new AbortController()
    const result = run(`export default (i, ctx) => { ctx.log("here"); return new Promise(() => {}) }`, {
      signal: ending.signal,
      onLog: () => ending.abort(),
    })
    expect(await result).toMatchObject({ ok: false, kind: "aborted", logs: ["here"] })
  })

  test("[F24] twenty concurrent calls of one sandbox all end", async () => {
    const sandbox = loaderSandbox(env.LOADER, "busy")
    const calls = Array.from({ length: 20 }, async (_, n) => {
      const source = `export default async () => ({ n: ${n} })`
      const signal = new AbortController().signal
      return sandbox.run({
        hash: await sha256(source),
        source,
        input: {},
        ctx: { flow: "f", step: "s", task: "" },
        timeoutMs: 60_000,
        signal,
        turn,
      })
    })
    expect((await Promise.all(calls)).map((r) => (r.ok ? r.value["n"] : r))).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })
})

describe("sandbox: the result is JSON or the contract is broken", () => {
  test.for([
    ["undefined", "returned nothing"],
    ["null", "returned null"],
    ["[1]", "returned a list"],
    ["'text'", "returned a string"],
    ["{ a: undefined }", "the result's a is undefined"],
    ["{ a: [1, () => 1] }", "the result's a[1] is a function"],
    ["{ a: { b: NaN } }", "the result's a.b is NaN"],
    ["{ a: 1n }", "the result's a is a BigInt"],
    ["{ a: Symbol('x') }", "the result's a is a symbol"],
    ["{ a: new Date(0) }", "the result's a is a Date"],
    ["{ a: new Map() }", "the result's a is a Map"],
    ["{ a: Promise.resolve(1) }", "the result's a is a promise: await it"],
    ["{ a: new (class Thing {})() }", "the result's a is a Thing"],
    ["(() => { const a = {}; a.self = a; return { a } })()", "the result's a.self contains itself"],
    ["JSON.parse('{\"__proto__\": 1}')", "has the key __proto__"],
    ["{ a: 'x'.repeat(300000) }", "larger than 256 KiB"],
    ["{ a: 'ä'.repeat(200000) }", "larger than 256 KiB"],
    ["{ a: Array(200000).fill(1) }", "larger than 256 KiB"],
    ["(() => { let a = {}; for (let i = 0; i < 1000; i++) a = { a }; return a })()", "nested deeper than 64"],
  ])("[F24] %s", async ([returned, message]) => {
    const result = await run(`export default (i: any): any => (${returned})`)
    expect(result).toMatchObject({ ok: false, kind: "contract", message: expect.stringContaining(message ?? "") })
  })

  test("[F24] the same object in two places is not a cycle, and the sandbox does not check extra keys", async () => {
    expect(await value("const a = { b: 1 }; return { a, again: [a, a], extra: -0 }")).toEqual({
      a: { b: 1 },
      again: [{ b: 1 }, { b: 1 }],
      extra: 0,
    })
  })
})

describe("sandbox: nothing outside is in reach", () => {
  test("[F24] no network, no cache, no code from text", async () => {
    const tries = [
      "fetch('http://example.com')",
      "new WebSocket('ws://example.com')",
      "caches.default.match('http://x/')",
      "eval('1')",
      "new Function('return 1')()",
      "(async () => {}).constructor('return 1')()",
    ]
    const got = await value(
      `return { got: await Promise.all([${tries.map((t) => `(async () => { try { await ${t}; return "did it" } catch (e) { return "refused" } })()`).join(",")}]) }`,
    )
    expect(got).toEqual({ got: tries.map(() => "refused") })
  })

  test("[F24] no bindings, and no modules except its own", async () => {
    const result = await runCode(`import { env } from "cloudflare:workers"\nexport default () => ({ keys: Object.keys(env) })`)
    expect(result).toMatchObject({ ok: false, kind: "crashed", message: expect.stringContaining("reaches nothing outside it") })
    expect(await runCode(`export default async () => ({ m: Object.keys(await import("meter.js")) })`)).toMatchObject({
      ok: false,
      kind: "crashed",
    })
    expect(await value("return { process: typeof process, env: typeof env, require: typeof require }")).toEqual({
      process: "undefined",
      env: "undefined",
      require: "undefined",
    })
  })

  test("[F24] a handler that changes built-in objects cannot falsify its result", async () => {
    const result = await run(
      `
      JSON.stringify = () => '"forged"'
      try { Promise.prototype.then = function () { return this } } catch {}
      Object.keys = () => ["forged"]
      String.prototype.slice = () => "forged"
      RegExp.prototype.exec = () => null
      Object.prototype.toJSON = () => "forged"
      Array.prototype.push = () => { throw new Error("forged") }
      TextEncoder.prototype.encode = () => new Uint8Array(0)
      Array.isArray = () => true
      globalThis.clearTimeout = () => { throw new Error("forged") }
      export default (input: any, ctx: any) => { ctx.log("said"); return { kept: input.kept, list: [1, 2] } }
    `,
      { input: { kept: "yes" } },
    )
    expect(result).toMatchObject({ ok: false, kind: "threw", line: 2 })
    const again = await run(
      `
      Object.keys = () => ["forged"]
      String.prototype.slice = () => "forged"
      RegExp.prototype.exec = () => null
      Object.prototype.toJSON = () => "forged"
      Array.prototype.push = () => { throw new Error("forged") }
      TextEncoder.prototype.encode = () => new Uint8Array(0)
      Array.isArray = () => true
      globalThis.clearTimeout = () => { throw new Error("forged") }
      export default (input: any, ctx: any) => { ctx.log("said"); return { kept: input.kept, list: [1, 2] } }
    `,
      { input: { kept: "yes" } },
    )
    expect(again).toEqual({ ok: true, value: { kept: "yes", list: [1, 2] }, logs: ["said"] })
  })

  test("[F24] a getter or proxy in the result is read once, and if it throws, the handler threw", async () => {
    expect(await value("let n = 0; return { get a() { return ++n } }")).toEqual({ a: 1 })
    expect(await value("return { get a() { throw new Error('no') } }")).toMatchObject({ ok: false, kind: "threw" })
    expect(await value("return new Proxy({}, { ownKeys() { for (;;); } })", { timeoutMs: 80 })).toMatchObject({
      ok: false,
      kind: "timeout",
    })
  })

  test("[F24] runs of the same source share module variables within a tenant, and never across tenants", async () => {
    const text = `let seen = 0\nexport default (input: unknown) => ({ seen: ++seen })`
    const first = await run(text)
    const second = await run(text)
    expect([first, second].map((r) => r.ok && r.value["seen"])).toEqual([1, 2])
    expect(await run(text, { tenant: "other" })).toMatchObject({ ok: true, value: { seen: 1 } })
    expect(await run(`${text}\n// another text`)).toMatchObject({ ok: true, value: { seen: 1 } })
  })

  test("[F24] two concurrent runs in one isolate have separate logs, summaries and inputs", async () => {
    const text = `export default async (input: any, ctx: any) => { ctx.setSummary(input.who); await new Promise((r) => setTimeout(r, 20)); ctx.log(input.who); return { who: input.who } }`
    const [a, b] = await Promise.all([run(text, { input: { who: "a" } }), run(text, { input: { who: "b" } })])
    expect(a).toEqual({ ok: true, value: { who: "a" }, summary: "a", logs: ["a"] })
    expect(b).toEqual({ ok: true, value: { who: "b" }, summary: "b", logs: ["b"] })
  })
})

describe("sandbox: short and long calls", () => {
  const echo = `return { ...input }`

  test.each([
    ["of letters outside ASCII", { a: "na\u00efve \u2028 \ud83d\ude00 \u0000" }],
    ["longer than a header", { a: "x".repeat(10_000) }],
    ["as long as a header, about", { a: "x".repeat(4_060) }],
    ["with lines and quotes", { a: 'one\ntwo\r\n"three"\t ' }],
    ["without anything", {}],
  ])("[F24] an input and a result %s arrive as they are", async (_, input) => {
    expect(await value(echo, { input })).toEqual(input)
  })

  test("[F24] a handler that replaces what headers and bodies are made of breaks none of its later answers", async () => {
    const spoil = `
      Headers.prototype.get = () => "{}"
      Headers.prototype.set = Headers.prototype.append = () => {}
      Request.prototype.text = () => "{}"
      Object.defineProperty(Request.prototype, "headers", { get: () => new Headers() })
      Object.defineProperty(Object.prototype, "status", { value: 500, configurable: true })
      globalThis.Response = class { }
      return { n: input.n }`
    for (const n of [1, 2, "\u00e9", "y".repeat(5_000)]) expect(await value(spoil, { input: { n } })).toEqual({ n })
  })
})

describe("sandbox: a handler that calls tools", () => {
  const two = `export default async (input: any, ctx: any) => {
    const ticket = await ctx.call("shop.ticket", { id: input.id, full: true })
    const sent = await ctx.call("shop.reply", { text: ticket.data.name })
    return { name: ticket.data.name, sent: sent.text, keys: Object.keys(sent).sort() }
  }`
  const input = { id: 7 }
  const ticket: RecordedCall = {
    tool: "shop.ticket",
    args: { full: true, id: 7 },
    answer: { ok: true, text: '{"name":"Ann"}', data: { name: "Ann" } },
  }
  const sent: RecordedCall = { tool: "shop.reply", args: { text: "Ann" }, answer: { ok: true, text: "sent" } }

  test("[F27] a call without an answer ends the handler, one with an answer goes on; the order of keys does not matter", async () => {
    const first = { ok: null, calls: [{ tool: "shop.ticket", args: { id: 7, full: true } }], logs: [] }
    expect(await run(two, { input, calls: [] })).toEqual(first)
    const second = { ok: null, calls: [{ tool: "shop.reply", args: { text: "Ann" } }], logs: [] }
    expect(await run(two, { input, calls: [ticket] })).toEqual(second)
    const value = { name: "Ann", sent: "sent", keys: ["data", "text"] }
    expect(await run(two, { input, calls: [ticket, sent] })).toEqual({ ok: true, value, logs: [] })
  })

  test("[F27] calls that nobody has awaited yet come together, also one that is never awaited", async () => {
    const wanted = ["a", "b"].map((id) => ({ tool: "shop.ticket", args: { id } }))
    const all = `export default async (_: any, ctx: any) => ({ all: await Promise.all(["a", "b"].map((id) => ctx.call("shop.ticket", { id }))) })`
    expect(await run(all, { calls: [] })).toEqual({ ok: null, calls: wanted, logs: [] })
    const none = `export default (_: any, ctx: any) => { ctx.call("shop.ticket", { id: "a" }); ctx.call("shop.ticket", { id: "b" }); return {} }`
    expect(await run(none, { calls: [] })).toEqual({ ok: null, calls: wanted, logs: [] })
  })

  test("[F27] calls that are too large together come one after the other, and one that is too large fails", async () => {
    const large = `export default async (input: any, ctx: any) => ({
      n: (await Promise.all([1, 2].map((n) => ctx.call("shop.ticket", { n, text: "x".repeat(input.size) })))).length,
    })`
    const asked = await run(large, { input: { size: 200_000 }, calls: [] })
    expect(asked.ok === null && asked.calls.map(({ args }) => args["n"])).toEqual([1])
    expect(await run(large, { input: { size: 300_000 }, calls: [] })).toMatchObject({ ok: false })
  })

  test("[F27] a failed call throws a ToolError with its state, that the handler may catch", async () => {
    const calls: RecordedCall[] = [{ tool: "shop.ticket", args: {}, answer: { ok: false, state: "refused", message: "a person said no" } }]
    const caught = `export default async (_: any, ctx: any) => {
      try { await ctx.call("shop.ticket") } catch (e: any) { return { name: e.name, state: e.state, message: e.message, error: e instanceof Error } }
    }`
    const value = { name: "ToolError", state: "refused", message: "a person said no", error: true }
    expect(await run(caught, { calls })).toEqual({ ok: true, value, logs: [] })
    const thrown = `export default async (_: any, ctx: any) => ({ said: await ctx.call("shop.ticket") })`
    expect(await run(thrown, { calls })).toMatchObject({
      ok: false,
      kind: "threw",
      message: expect.stringContaining("a person said no") as string,
    })
  })

  test("[F27] a call that is not the recorded one in its place is a divergence, and both are named", async () => {
    const other: RecordedCall = { ...ticket, args: { full: true, id: 8 } }
    const said = await run(two, { input, calls: [other] })
    expect(said).toMatchObject({ ok: false, kind: "diverged" })
    expect(said.ok === false && said.message).toContain('call 1 of the handler is shop.ticket {"full":true,"id":7}')
    expect(said.ok === false && said.message).toContain('before it was shop.ticket {"full":true,"id":8}')
    expect(await run(two, { input, calls: [ticket, { ...sent, tool: "shop.mail" }] })).toMatchObject({ ok: false, kind: "diverged" })
  })

  test("[F27] a handler that catches everything cannot hide a divergence, and arguments that are no object fail", async () => {
    const hides = `export default async (_: any, ctx: any) => { try { await ctx.call("shop.other") } catch {} finally { return { hid: true } } }`
    expect(await run(hides, { calls: [ticket] })).toMatchObject({ ok: false, kind: "diverged" })
    const odd = `export default async (_: any, ctx: any) => ({ said: await ctx.call("shop.ticket", ["a"]) })`
    expect(await run(odd, { calls: [] })).toMatchObject({ ok: false })
  })
})
