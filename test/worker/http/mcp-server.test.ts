// [H12] The MCP server through the whole Worker, with the official client as its peer, in both revisions of the protocol.

import { Client, StreamableHTTPClientTransport, type ElicitResult } from "@modelcontextprotocol/client"
import { SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"

const KEY = { authorization: "Bearer sl_local_dev" }
const ERAS = ["legacy", "modern"] as const
type Era = (typeof ERAS)[number]

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const r = await SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { ...KEY, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

const agent = (name: string, head = ""): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\n${head}---\nDo it. \${{task}}\n`
const step = (id: string, name: string, more = ""): string => `  - { id: ${id}, type: agent, agent: ${name}${more} }\n`
const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: runs ${name}\n${head}steps:\n${steps}`

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: {
      "a.md": agent("a"),
      "asker.md": agent("asker", "tools: ask_user\n"),
      "writer.md": agent("writer", "tools: write\ntool_approvals: { write: always }\n"),
    },
    flows: {
      "plain.yaml": flow(
        "plain",
        step("one", "a") + step("two", "a", ", blockedBy: [one]"),
        "task_required: true\ninputs:\n  who: { type: string, required: true, description: whom to greet }\n  often: { type: number, default: 2 }\n  task: { type: string }\n",
      ),
      "legal/nda.yaml": flow("nda", step("one", "a")),
      "outs.yaml": flow(
        "outs",
        step("one", "a") + step("two", "a", ", blockedBy: [one]"),
        'outputs: { first: "${{result.one.summary}}" }\n',
      ),
      "outs.rehearsal.yaml":
        "steps:\n  one:\n    - finish: { status: complete, summary: began }\n  two:\n    - finish: { status: complete, summary: and ended }\n",
      "fails.yaml": flow("fails", step("one", "a")),
      "fails.rehearsal.yaml": "steps:\n  one:\n    - finish: { status: error, summary: no disk }\n",
      "asks.yaml": flow("asks", step("one", "asker"), "autonomous: false\n"),
      "asks.rehearsal.yaml":
        "steps:\n  one:\n    - calls: [{ tool: ask_user, args: { question: Which colour?, type: select, options: [red, blue] } }]\n    - finish: { status: complete, summary: asked and told }\n",
      "gated.yaml": flow("gated", step("one", "writer"), "autonomous: false\n"),
      "gated.rehearsal.yaml":
        "steps:\n  one:\n    - calls: [{ tool: write, args: { path: out.md, content: hello } }]\n    - finish: { status: complete, summary: written }\n",
      "slow.yaml": flow("slow", step("one", "a") + step("two", "a", ", blockedBy: [one]")),
      "slow.rehearsal.yaml": "steps:\n  two:\n    - delay: 10m\n      finish: { status: complete, summary: late }\n",
    },
  })
})

type Answers = (message: string, schema: unknown) => ElicitResult | Promise<ElicitResult>

/** `answers`: the client has a user to ask. */
async function connect(era: Era, { answers, key = KEY.authorization }: { answers?: Answers; key?: string } = {}): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: answers ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
    },
  )
  if (answers) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (!("requestedSchema" in params)) throw new Error("not a form")
      return answers(params.message, params.requestedSchema)
    })
  }
  const transport = new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
    requestInit: { headers: { authorization: key } },
    fetch: (url, init) => SELF.fetch(String(url), init as RequestInit),
  })
  await client.connect(transport)
  expect(client.getProtocolEra()).toBe(era)
  return client
}

const textOf = (result: { readonly content?: unknown }): string =>
  Array.isArray(result.content) ? result.content.map((part: { text?: string }) => part.text).join("\n") : ""
const runIn = (result: { readonly structuredContent?: unknown }): string => (result.structuredContent as { run: string }).run

describe.each(ERAS)("MCP in workerd, %s", (era) => {
  test("[H12] tools and flows are listed, a flow by its inputs", async () => {
    const client = await connect(era)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        "agent_catalog",
        "subagent",
        "skill_read",
        "memory__read",
        "flow_plain",
        "flow_legal__nda",
        "ask_user",
        "flow_results",
      ]),
    )
    for (const absent of ["finish", "read", "bash"]) expect(names).not.toContain(absent)
    const plain = tools.find(({ name }) => name === "flow_plain")
    expect(plain).toMatchObject({
      description: "runs plain",
      inputSchema: {
        properties: {
          task: { type: "string" },
          who: { type: "string", description: "whom to greet" },
          often: { type: "number", default: 2 },
          "inputs.task": { type: "string" },
        },
        required: ["task", "who"],
      },
      outputSchema: { required: ["run", "status", "output"] },
      annotations: { readOnlyHint: false },
    })
    expect(tools.find(({ name }) => name === "agent_catalog")?.annotations?.readOnlyHint).toBe(true)
    await client.close()
  })

  test("[H12] a call runs the flow and answers with its last finish; progress shows the steps and the run's id", async () => {
    const client = await connect(era)
    const progress: { progress: number; total?: number | undefined; message?: string | undefined }[] = []
    const result = await client.callTool(
      { name: "flow_plain", arguments: { task: "greet", who: "mona", "inputs.task": "own" } },
      { onprogress: (p) => void progress.push(p) },
    )
    expect(result.isError).not.toBe(true)
    const view = await ask<RunView>("GET", `/v1/runs/${runIn(result)}`)
    expect(view).toMatchObject({ flow: "plain", status: "succeeded", task: "greet", inputs: { who: "mona", often: 2, task: "own" } })
    expect(view.trigger.kind).toBe("mcp")
    expect(result.structuredContent).toEqual({ run: view.id, status: "succeeded", output: view.output })
    expect(textOf(result)).toBe((view.output as { summary: string }).summary)
    expect(progress.map((p) => [p.progress, p.total])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ])
    expect(progress[0]?.message).toContain(view.id)
    expect(progress[1]?.message).toMatch(/^one: /)
    await client.close()
  })

  test("[H12] a flow that fails, and a start that is refused, are results with isError", async () => {
    const client = await connect(era)
    const outs = await client.callTool({ name: "flow_outs", arguments: { task: "x" } })
    expect(outs).toMatchObject({ content: [{ type: "text", text: "and ended" }], structuredContent: { output: { first: "began" } } })
    const failed = await client.callTool({ name: "flow_fails", arguments: { task: "x" } })
    expect(failed).toMatchObject({ isError: true, structuredContent: { status: "failed" } })
    expect(textOf(failed)).toContain("no disk")
    const refused = await client.callTool({ name: "flow_plain", arguments: { task: "x", often: "two" } })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/invalid: .*who/)
    await expect(client.callTool({ name: "flow_nowhere", arguments: {} })).rejects.toMatchObject({ code: -32602 })
    await expect(client.callTool({ name: "bash", arguments: {} })).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  test("[H12] a tool of the main session is called; wrong arguments are a result with isError", async () => {
    const client = await connect(era)
    const listed = await client.callTool({ name: "agent_catalog", arguments: {} })
    expect(JSON.parse(textOf(listed))).toEqual(expect.arrayContaining([expect.objectContaining({ name: "asker" })]))
    const wrong = await client.callTool({ name: "agent_write", arguments: { path: 1 } })
    expect(wrong.isError).toBe(true)
    await client.close()
  })

  test("[Q2] a question is put to the client's user, and the run continues with the answer", async () => {
    const asked: unknown[] = []
    const client = await connect(era, {
      answers: (message, schema) => {
        asked.push(message, schema)
        return { action: "accept", content: { answer: "blue" } }
      },
    })
    const result = await client.callTool({ name: "flow_asks", arguments: { task: "x" } })
    expect(asked).toMatchObject([
      "Which colour?",
      { properties: { answer: { type: "string", enum: ["red", "blue"] } }, required: ["answer"] },
    ])
    expect(result).toMatchObject({ structuredContent: { status: "succeeded" } })
    const { data } = await ask<{ data: { status: string; answer: unknown }[] }>("GET", `/v1/runs/${runIn(result)}/interactions`)
    expect(data).toMatchObject([{ status: "answered", answer: { answer: "blue" } }])
    await client.close()
  })

  test("[Q2] a user who declines cancels the question", async () => {
    const client = await connect(era, { answers: () => ({ action: "decline" }) })
    const result = await client.callTool({ name: "flow_asks", arguments: { task: "x" } })
    const { data } = await ask<{ data: { answer: unknown }[] }>("GET", `/v1/runs/${runIn(result)}/interactions`)
    expect(data).toMatchObject([{ answer: { cancelled: true } }])
    await client.close()
  })

  test("[H12] if the client cannot ask anyone, the call says that the run waits, and where to answer", async () => {
    const client = await connect(era)
    const result = await client.callTool({ name: "flow_asks", arguments: { task: "x" } })
    expect(result).toMatchObject({ isError: true, structuredContent: { status: "waiting", output: null } })
    expect(textOf(result)).toContain(`/v1/runs/${runIn(result)}/interactions/`)
    expect(textOf(result)).toContain("Which colour?")
    await ask("POST", `/v1/runs/${runIn(result)}/cancel`)
    await client.close()
  })

  test("[Q3] an approval shows the whole call; only approving it lets it run", async () => {
    for (const decision of ["approve", "reject"]) {
      const asked: string[] = []
      const client = await connect(era, {
        answers: (message) => {
          asked.push(message)
          return { action: "accept", content: { decision } }
        },
      })
      const result = await client.callTool({ name: "flow_gated", arguments: { task: "x" } })
      expect(asked).toHaveLength(1)
      for (const word of ["write", "out.md", "hello"]) expect(asked[0]).toContain(word)
      const { data } = await ask<{ data: { path: string }[] }>("GET", `/v1/runs/${runIn(result)}/files`)
      expect(data.map(({ path }) => path)).toEqual(decision === "approve" ? ["out.md"] : [])
      await client.close()
    }
  })

  test("[T3] a tool that needs an approval is refused and does not run", async () => {
    const client = await connect(era)
    const entry = { namespace: `mcp-${era}`, content: "hidden" }
    await ask("PUT", "/v1/settings/policy", { approvals: { tools: "always" } })
    const result = await client.callTool({ name: "memory.write", arguments: entry })
    await ask("PUT", "/v1/settings/policy", {})
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/^approval_required: /)
    expect(textOf(await client.callTool({ name: "memory.read", arguments: { namespace: entry.namespace } }))).not.toContain("hidden")
    await client.close()
  })

  test("[T3] what the policy denies is not listed", async () => {
    await ask("PUT", "/v1/settings/policy", { tools: { deny: ["memory.*"] } })
    try {
      const client = await connect(era)
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("memory__read")
      expect(textOf(await client.callTool({ name: "memory.read", arguments: { namespace: "mcp" } }))).toMatch(/^policy: /)
      await client.close()
    } finally {
      await ask("PUT", "/v1/settings/policy", {})
    }
  })

  test("[H1] a key sees and does what its scopes allow", async () => {
    const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: `mcp ${era}`, scopes: ["tools:call"] })
    const client = await connect(era, { key: `Bearer ${key}` })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain("memory__read")
    const others = ["agent_write", "skill_read", "subagent", "sessions__list", "sessions__delete"]
    expect(names.filter((name) => others.includes(name) || name.startsWith("flow_"))).toEqual([])
    expect(textOf(await client.callTool({ name: "skill_read", arguments: { name: "x" } }))).toMatch(/^forbidden: .*catalog:read/)
    const refused = await client.callTool({ name: "flow_fails", arguments: { task: "x" } })
    expect(textOf(refused)).toMatch(/^forbidden: .*runs:write/)
    await client.close()
  })
})

describe("canceling", () => {
  /** Calls the slow flow and answers its run once its first step is done. */
  async function underWay(client: Client, signal: AbortSignal): Promise<string> {
    let told = (_run: string): void => {}
    const run = new Promise<string>((resolve) => (told = resolve))
    let id = ""
    client
      .callTool(
        { name: "flow_slow", arguments: { task: "x" } },
        {
          signal,
          onprogress: ({ progress, message = "" }) => {
            id ||= /run_[0-9a-z]+/.exec(message)?.[0] ?? ""
            if (progress === 1) told(id)
          },
        },
      )
      .catch(() => undefined)
    return run
  }
  const ended = async (id: string): Promise<RunView> => {
    for (;;) {
      const view = await ask<RunView>("GET", `/v1/runs/${id}`)
      if (view.ended !== undefined) return view
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  test("[H12] a `cancelled` notification of the session cancels the run", async () => {
    const client = await connect("legacy")
    const stop = new AbortController()
    const id = await underWay(client, stop.signal)
    stop.abort()
    expect((await ended(id)).status).toBe("canceled")
    await client.close()
  })

  test("[J12] a client that goes away changes nothing", async () => {
    const client = await connect("modern")
    const stop = new AbortController()
    const id = await underWay(client, stop.signal)
    stop.abort()
    await client.close()
    const view = await ask<RunView>("GET", `/v1/runs/${id}`)
    expect(view.status).toBe("running")
    await ask("POST", `/v1/runs/${id}/cancel`)
  })
})

describe("what comes back from a client", () => {
  test("[H12] a question that someone else answers is withdrawn from the client's user", async () => {
    let asked = (): void => {}
    const wasAsked = new Promise<void>((resolve) => (asked = resolve))
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} }, versionNegotiation: { mode: "legacy" } })
    let takenBack = (): void => {}
    const wasTakenBack = new Promise<void>((resolve) => (takenBack = resolve))
    client.setRequestHandler("elicitation/create", async (_request, { mcpReq }) => {
      mcpReq.signal.addEventListener("abort", takenBack)
      asked()
      await wasTakenBack
      return { action: "cancel" }
    })
    const transport = new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
      requestInit: { headers: KEY },
      fetch: (url, init) => SELF.fetch(String(url), init as RequestInit),
    })
    await client.connect(transport)
    let id = ""
    const call = client.callTool(
      { name: "flow_asks", arguments: { task: "x" } },
      { onprogress: ({ message = "" }) => void (id ||= /run_[0-9a-z]+/.exec(message)?.[0] ?? "") },
    )
    await wasAsked
    const { data } = await ask<{ data: { id: string }[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)
    await ask("POST", `/v1/runs/${id}/interactions/${data[0]?.id}`, { answer: "red" })
    expect((await call).structuredContent).toMatchObject({ run: id, status: "succeeded" })
    await wasTakenBack
    await client.close()
  })

  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  }
  type Message = {
    readonly error?: { readonly code: number }
    readonly result?: {
      readonly requestState?: string
      readonly inputRequests?: object
      readonly structuredContent?: { readonly run: string }
    }
  }
  async function call(name: string, more: object, key = KEY.authorization): Promise<Message> {
    const headers = {
      authorization: key,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    }
    const params = { name, arguments: { task: "x" }, ...more, _meta: META }
    const r = await SELF.fetch("http://sluice/mcp", {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    })
    const text = await r.text()
    return JSON.parse(
      text
        .split("\n")
        .find((line) => line.startsWith("data:"))
        ?.slice(5) ?? text,
    )
  }

  test("[H12] an altered requestState, or one used with another call or key, is refused and answers nothing", async () => {
    const first = (await call("flow_asks", {})).result
    const requestState = first?.requestState ?? ""
    const [interaction = ""] = Object.keys(first?.inputRequests ?? {})
    const inputResponses = { [interaction]: { action: "accept", content: { answer: "red" } } }
    const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: "another", scopes: ["runs:write", "interactions:answer"] })
    const bad = [
      await call("flow_asks", { requestState: `${requestState}x`, inputResponses }),
      await call("flow_asks", { requestState: "made-up", inputResponses }),
      await call("flow_fails", { requestState, inputResponses }),
      await call("flow_asks", { requestState, inputResponses, arguments: { task: "y" } }),
      await call("flow_asks", { requestState, inputResponses }, `Bearer ${key}`),
    ]
    expect(bad.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602, -32602])
    // An invalid answer leaves the question open, and it is asked again.
    const again = await call("flow_asks", {
      requestState,
      inputResponses: { [interaction]: { action: "accept", content: { answer: "green" } } },
    })
    expect(Object.keys(again.result?.inputRequests ?? {})).toEqual([interaction])
    const good = await call("flow_asks", { requestState, inputResponses })
    expect(good.result?.structuredContent).toMatchObject({ status: "succeeded" })
  })

  test("[H4] in a session, a repeated request finds the run of the first one", async () => {
    const rpc = async (body: object, session = "") => {
      const headers = {
        ...KEY,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === "" ? {} : { "mcp-session-id": session }),
      }
      return SELF.fetch("http://sluice/mcp", { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) })
    }
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const opened = await rpc({ id: 0, method: "initialize", params })
    await opened.text()
    const session = opened.headers.get("mcp-session-id") ?? ""
    const run = async (id: number | string): Promise<string> => {
      const text = await (await rpc({ id, method: "tools/call", params: { name: "flow_fails", arguments: { task: "x" } } }, session)).text()
      return /run_[0-9a-z]{26}/.exec(text)?.[0] ?? text
    }
    const [first, again, other, text] = [await run(1), await run(1), await run(2), await run("1")]
    expect(again).toBe(first)
    expect(new Set([first, other, text]).size).toBe(3)
  })
})
