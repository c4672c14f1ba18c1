// [T27] A question of an MCP server becomes one of the run, which waits without a connection: over loopback, with both protocols.

import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { McpToolDef } from "../../../src/core/tool/tool-def.ts"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { mcpTool } from "../../../src/tools/registered/mcp-tool.ts"
import { FakeMcpServer, type Rpc } from "../../support/engine/fake-mcp-server.ts"
import { agent, done, flow, Stand, until } from "../../support/engine/stand.ts"

const FORM = { type: "object", properties: { name: { type: "string", default: "Bo" }, age: { type: "integer" } }, required: ["name"] }
const elicit = (message = "Who are you?", requestedSchema: object = FORM) => ({ mode: "form", message, requestedSchema })
const page = (n: number) => ({ mode: "url", message: "Sign in first.", url: `https://login.example/${n}`, elicitationId: `e${n}` })
const says = (text: string) => ({ content: [{ type: "text", text }] })

let server: FakeMcpServer
beforeEach(async () => {
  server = await new FakeMcpServer().start()
})
afterEach(() => server.stop())

/** A step whose agent calls the server's tool once. */
async function called(more: Partial<McpToolDef> = {}, autonomous = false): Promise<Stand> {
  const def: McpToolDef = {
    kind: "mcp",
    name: "mcp:desk:book",
    server: "desk",
    tool: "book",
    url: server.url,
    description: "Books.",
    parameters: { type: "object" },
    effect: "write",
    untrusted: true,
    ...more,
  }
  const stand = new Stand(
    flow("  - { id: a, type: agent, agent: w }\n"),
    [agent("w", 'tools: ["mcp:desk:book"]\n')],
    [mcpTool(def, mcpPeer)],
  )
  stand.powers = { net: netOf({ allowedPrivateHosts: ["127.0.0.1"] }) }
  stand.start("go", autonomous)
  await (await stand.next("a")).answer({ calls: [{ name: "mcp:desk:book", args: {} }] })
  return stand
}

const asked = async (stand: Stand): Promise<string> => {
  await until(
    () => stand.conductor.run.status === "waiting",
    () => `it is not waiting: ${JSON.stringify(stand.events().slice(-2))}`,
  )
  return stand.conductor.run.pending.at(-1) ?? ""
}
const answer = (stand: Stand, body: object, id: string) => stand.conductor.tell({ type: "answer", id, body, by: "ann" })
const returned = async (stand: Stand): Promise<{ isError: boolean; text: string }> => {
  await stand.next("a")
  const e = stand.events().findLast((x) => x.type === "tool.returned")
  if (e?.type !== "tool.returned") throw new Error("no result")
  return { isError: e.isError, text: e.content.map((part) => (part.type === "text" ? part.text : "")).join("") }
}
/** The pause before a server that is busy is called again. */
const BUSY_MS = 500
const calls = () => server.seen.filter(({ rpc }) => rpc === "tools/call").map(({ message }) => message)

/** A server of 2025: it asks on the stream of the call, and goes on when the reply is posted. */
function asksOnItsStream(
  params: (n: number) => object,
  end: (result: Rpc["result"], response: ServerResponse, id: Rpc["id"]) => void,
): void {
  let open: { response: ServerResponse; id: Rpc["id"] } | undefined
  let n = 0
  server.session = "s1"
  server.instead = (_request, response) => {
    const message = server.seen.at(-1)?.message ?? {}
    const at = server.seen.length
    if (message.method === "tools/call") {
      open = { response, id: message.id }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(
        `data: ${JSON.stringify({ jsonrpc: "2.0", id: `q${at}`, method: "elicitation/create", params: params((n += 1)) })}\n\n`,
      )
      return true
    }
    if (message.method === undefined && message.result !== undefined) {
      response.writeHead(202).end()
      if (open) end(message.result, open.response, open.id)
      return true
    }
    return false
  }
}
const frame = (message: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`

/** A server of 2026: it answers with its questions, and reads the replies from the next call. */
function asksInItsResult(result: (params: Record<string, unknown>) => object): void {
  server.instead = (_request, response) => {
    const { method, id, params = {} } = server.seen.at(-1)?.message ?? {}
    const say = (value: object): void => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: value }))
    }
    if (method === "server/discover")
      say({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "fake", version: "1" },
        ttlMs: 0,
        cacheScope: "private",
      })
    else say({ resultType: "complete", ...result(params) })
    return true
  }
}
const required = (requests: object, requestState?: string) => ({
  resultType: "input_required",
  inputRequests: Object.fromEntries(Object.entries(requests).map(([key, params]) => [key, { method: "elicitation/create", params }])),
  ...(requestState === undefined ? {} : { requestState }),
})

describe("a server of 2025", () => {
  test("[T27] its question is the run's, the connection ends, and after the answer the call is made again and answered at once", async () => {
    asksOnItsStream(
      () => elicit(),
      (result, response, id) => response.end(frame({ id, result: says(JSON.stringify(result)) })),
    )
    const stand = await called()
    const id = await asked(stand)
    expect(stand.conductor.run.interactions[id]).toMatchObject({
      kind: "elicitation",
      payload: { question: "Who are you?", tool: "mcp:desk:book", host: "127.0.0.1", form: FORM },
    })
    expect(stand.conductor.busy).toBe(false)
    expect(server.seen.map(({ rpc, method }) => rpc ?? method)).toContain("notifications/cancelled")
    // Days later, in another process.
    stand.now += 5 * 86_400_000
    stand.crash()
    expect(answer(stand, { answer: { name: 5 } }, id)).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(answer(stand, { answer: { name: "Ann", more: 1 } }, id)).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(answer(stand, { answer: { name: "Ann", age: 7 } }, id).ok).toBe(true)
    const { isError, text } = await returned(stand)
    expect(text).toContain('{"action":"accept","content":{"name":"Ann","age":7}}')
    expect(isError).toBe(false)
    expect(calls()).toHaveLength(2)
    expect(new Set(calls().map((one) => one.id)).size).toBe(2)
    expect(stand.types().filter((type) => type === "tool.called")).toHaveLength(1)
    expect(stand.conductor.run.usage.tool_calls).toBe(1)
    expect(stand.conductor.run.steps["a"]?.session).toMatchObject({ private: true, tainted: true })
  })

  test("[T27] a server that asks on its own stream is heard: the stream is open before the call, and closed after it", async () => {
    let own: ServerResponse | undefined
    let call: { response: ServerResponse; id: Rpc["id"] } | undefined
    let closed = 0
    server.session = "s1"
    server.instead = (request, response) => {
      const { method, id, result } = server.seen.at(-1)?.message ?? {}
      if (request.method === "GET") {
        own = response.writeHead(200, { "content-type": "text/event-stream" })
        own.write(": open\n\n")
        response.on("close", () => (closed += 1))
      } else if (method === "tools/call") {
        call = { response: response.writeHead(200, { "content-type": "text/event-stream" }), id }
        own?.write(frame({ id: "q", method: "elicitation/create", params: elicit() }))
      } else if (method === undefined && result !== undefined) {
        response.writeHead(202).end()
        call?.response.end(frame({ id: call.id, result: says(JSON.stringify(result)) }))
      } else return false
      return true
    }
    const stand = await called()
    const id = await asked(stand)
    expect(stand.conductor.run.interactions[id]?.payload).toMatchObject({ question: "Who are you?" })
    answer(stand, { answer: { name: "Ann" } }, id)
    expect((await returned(stand)).text).toContain('"name":"Ann"')
    await until(
      () => closed === 2,
      () => `${closed} streams were closed`,
    )
  })

  test("[T27] the same question twice in one call is two questions", async () => {
    let n = 0
    asksOnItsStream(
      () => elicit(),
      (result, response, id) => {
        n += 1
        if (n % 3 !== 0) response.write(frame({ id: `more${n}`, method: "elicitation/create", params: elicit() }))
        else response.end(frame({ id, result: says(JSON.stringify(result)) }))
      },
    )
    const stand = await called()
    answer(stand, { answer: { name: "one" } }, await asked(stand))
    await until(
      () => stand.conductor.run.pending.includes("i2"),
      () => JSON.stringify(stand.events().slice(-3)),
    )
    answer(stand, { decision: "reject" }, await asked(stand))
    expect(stand.types()).not.toContain("tool.returned")
  })

  test("[T27] a page to open is shown as an address, whatever number it has, and never fetched", async () => {
    asksOnItsStream(
      (n) => page(n),
      (result, response, id) => response.end(frame({ id, result: says(JSON.stringify(result)) })),
    )
    const stand = await called()
    const id = await asked(stand)
    expect(stand.conductor.run.interactions[id]?.payload).toMatchObject({
      mode: "url",
      url: "https://login.example/1",
      opens: "login.example",
    })
    expect(answer(stand, { answer: {} }, id).ok).toBe(false)
    expect(answer(stand, { decision: "approve" }, id).ok).toBe(true)
    expect((await returned(stand)).text).toContain('{"action":"accept"}')
  })

  test("[T27] a call that is refused until a page was opened is made again afterwards", async () => {
    let opened = false
    server.instead = (_request, response) => {
      const { method, id } = server.seen.at(-1)?.message ?? {}
      if (method !== "tools/call" || opened) return false
      const error = { code: -32042, message: "This request requires more information.", data: { elicitations: [page(1)] } }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error }))
      return true
    }
    const stand = await called()
    const id = await asked(stand)
    opened = true
    answer(stand, { decision: "approve" }, id)
    expect((await returned(stand)).text).toContain("called book")
  })
})

describe("a server of 2026", () => {
  test("[T27] replies go with the next call, under the server's names and with its note, which no event holds", async () => {
    const heard: Record<string, unknown>[] = []
    asksInItsResult((params) => {
      heard.push(params)
      if (heard.length === 1) return required({ who: elicit(), why: elicit("Why?") }, "note-one-secret")
      if (heard.length === 2)
        return required({ sure: elicit("Sure?", { type: "object", properties: { ok: { type: "boolean" } } }) }, "note-two-secret")
      return says("booked")
    })
    const stand = await called()
    await asked(stand)
    expect(stand.conductor.run.pending).toEqual(["i1", "i2"])
    answer(stand, { answer: { name: "Ann" } }, "i1")
    expect(stand.conductor.run.status).toBe("waiting")
    stand.crash()
    answer(stand, { cancelled: true }, "i2")
    await until(
      () => stand.conductor.run.pending.includes("i3"),
      () => JSON.stringify(stand.events().slice(-3)),
    )
    expect(heard[1]).toMatchObject({
      requestState: "note-one-secret",
      inputResponses: { who: { action: "accept", content: { name: "Ann" } }, why: { action: "cancel" } },
    })
    answer(stand, { answer: { ok: true } }, "i3")
    expect((await returned(stand)).text).toContain("booked")
    expect(heard[2]).toMatchObject({
      requestState: "note-two-secret",
      inputResponses: { sure: { action: "accept", content: { ok: true } } },
    })
    expect(heard[2]?.["inputResponses"]).not.toHaveProperty("who")
    expect(JSON.stringify(stand.events())).not.toContain("note-one")
  })

  test("[T27] a server that never stops asking is given up after ten rounds", async () => {
    asksInItsResult(() => required({ x: elicit() }, "n"))
    const stand = await called()
    for (let n = 1; n <= 10; n++) {
      await until(
        () => stand.conductor.run.pending.includes(`i${n}`),
        () => `no question ${n}`,
      )
      answer(stand, { answer: { name: "Ann" } }, `i${n}`)
    }
    expect(await returned(stand)).toMatchObject({ isError: true, text: expect.stringContaining("asked a person 10 times") })
  })

  test("[T27] a question that cannot be shown is the tool's error", async () => {
    asksInItsResult(() => required({ x: { mode: "url", message: "Look", url: "javascript:alert(1)" } }))
    expect(await returned(await called())).toMatchObject({ isError: true, text: expect.stringContaining("cannot be shown to a person") })
  })

  test("[T27] a server that is busy is called again, twenty times at most", async () => {
    // Its pauses end at once; every other limit stays as long as it is.
    const timer = globalThis.setTimeout
    const timers = vi.spyOn(globalThis, "setTimeout")
    timers.mockImplementation(((run: () => void, ms?: number, ...more: []) =>
      timer(run, ms === BUSY_MS ? 0 : ms, ...more)) as typeof setTimeout)
    try {
      asksInItsResult(() => ({ resultType: "input_required", requestState: "later" }))
      expect(await returned(await called({ timeout: 600_000 }))).toMatchObject({
        isError: true,
        text: expect.stringContaining("gave no answer"),
      })
      expect(calls()).toHaveLength(21)
      expect(timers.mock.calls.filter(([, ms]) => ms === BUSY_MS)).toHaveLength(20)
    } finally {
      timers.mockRestore()
    }
  })

  test("[T27] the note of a busy server goes with the next call", async () => {
    let n = 0
    asksInItsResult(() => ((n += 1) === 1 ? { resultType: "input_required", requestState: "later" } : says("done")))
    expect((await returned(await called())).text).toContain("done")
    expect(calls().map(({ params }) => params?.["requestState"])).toEqual([undefined, "later"])
  })

  test("[Q5] in a run that decides alone a question waits as long as an approval, and then the server hears that nobody answered", async () => {
    asksInItsResult(({ inputResponses }) =>
      inputResponses === undefined ? required({ x: elicit() }) : says(JSON.stringify(inputResponses)),
    )
    const stand = await called({}, true)
    const id = await asked(stand)
    const expires = stand.conductor.run.interactions[id]?.expires ?? 0
    expect(expires - stand.now).toBeLessThanOrEqual(86_400_000)
    stand.now = expires
    stand.conductor.tick()
    expect((await returned(stand)).text).toContain('{"x":{"action":"cancel"}}')
  })

  test("[G1] a call that the rules forbid by the time of the answer does not begin again, and its other questions are withdrawn", async () => {
    asksInItsResult(() => required({ x: elicit(), y: elicit("And?") }))
    const stand = await called()
    const id = await asked(stand)
    const { policy } = stand.rules
    const rules = { ...stand.rules, version: 2, policy: { ...policy, tools: { ...policy.tools, deny: ["mcp:*"] } } }
    stand.conductor.tell({ type: "answer", id: "i1", body: { answer: { name: "x" } }, by: "ann", rules })
    await stand.next("a")
    expect(stand.events().findLast((e) => e.type === "tool.refused")).toMatchObject({ code: "policy" })
    expect(stand.conductor.run.interactions[id]?.status).toBe("withdrawn")
    expect(stand.conductor.run.pending).toEqual([])
    expect(calls()).toHaveLength(1)
  })

  test("[J11] a call that is lost after its question was answered may have taken effect, and is not made again", async () => {
    asksInItsResult(({ inputResponses }) => (inputResponses === undefined ? required({ x: elicit() }) : says("late")))
    const stand = await called()
    const id = await asked(stand)
    const seen = server.seen.length
    server.instead = () => true
    answer(stand, { answer: { name: "Ann" } }, id)
    await until(
      () => server.seen.length > seen,
      () => "it is not called again",
    )
    stand.crash()
    expect(stand.types()).toContain("tool.uncertain")
    await (await stand.next("a")).answer(done())
    expect(stand.conductor.run.status).toBe("succeeded")
  })
})
