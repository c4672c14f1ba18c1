// Files that a run is given [F55]: with its start by the API, a hook or a schedule, put later, read back, and kept through crashes.

import { abortAllDurableObjects, evictDurableObject, SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, start, stub, until } from "../../support/worker/house.ts"
import { until as untilIt } from "../../support/worker/service-client.ts"

const SLOW = [{ tool: "finish", args: { status: "complete", summary: "slow" } }]
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      reader: [{ calls: [{ tool: "read", args: { path: "in/notes.md" } }] }, { finish: { status: "complete", summary: "read" } }],
      asker: [
        { calls: [{ tool: "ask_user", args: { question: "Send the file?", type: "input" } }] },
        { calls: [{ tool: "read", args: { path: "late.txt" } }] },
        { finish: { status: "complete", summary: "thanks" } },
      ],
    },
  })
  const scripted = (name: string): string => agent(name, "read, write, ask_user").replace("rehearsal/default", `sc/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: {
      "reader.md": scripted("reader"),
      "asker.md": scripted("asker"),
      "slow.md": agent("slow").replace("rehearsal/default", "held/m"),
      "styled.md": agent("styled").replace(
        "tools: write",
        "tools: write\ncontext_files: [style.md, missing.md, secret/x.md]\naccess: { read: [style.md] }",
      ),
    },
    flows: {
      "reads.yaml": flow("reads", "  - { id: a, type: agent, agent: reader }\n"),
      "asks.yaml": flow("asks", "  - { id: a, type: agent, agent: asker }\n"),
      "styled.yaml": flow("styled", "  - { id: a, type: agent, agent: styled }\n"),
      "slow.yaml": flow("slow", "  - { id: a, type: agent, agent: slow }\n"),
    },
  })
})

const files = (id: string) => ask<{ data: { path: string; size: number; tainted?: boolean }[] }>("GET", `/v1/runs/${id}/files`)
const paths = async (id: string): Promise<string[]> => (await files(id)).data.map((f) => f.path)
const bytes = async (id: string, path: string): Promise<Uint8Array> =>
  new Uint8Array(await (await call("GET", `/v1/runs/${id}/files/${path}`)).arrayBuffer())
const text = async (id: string, path: string): Promise<string> => new TextDecoder().decode(await bytes(id, path))
const put = (id: string, path: string, body: BodyInit, type = "text/plain") =>
  SELF.fetch(`http://sluice/v1/runs/${id}/files/${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${LOCAL}`, "content-type": type },
    body,
  })
const results = async (id: string) =>
  (await eventsOf(id)).flatMap((e) =>
    e.type === "tool.returned" ? [{ isError: e.isError, tainted: e.tainted, text: JSON.stringify(e.content) }] : [],
  )

describe("a start over the API", () => {
  test("[F55] text, bytes and shared files are in the workspace before the first step", async () => {
    await SELF.fetch("http://sluice/v1/objects/data/big.csv?untrusted=1", {
      method: "PUT",
      headers: { authorization: `Bearer ${LOCAL}`, "content-type": "text/csv" },
      body: "a,b\n1,2\n",
    })
    const id = await start("reads", {
      files: {
        "in/notes.md": "hello notes",
        "pic.png": { base64: base64(PNG), type: "image/png" },
        "./data.csv": { object: "data/big.csv" },
      },
    })
    const run = await until(id, ended)
    expect(run.status).toBe("succeeded")
    expect(run.files?.map((f) => [f.path, f.size, f.type])).toEqual([
      ["in/notes.md", 11, undefined],
      ["pic.png", 8, "image/png"],
      ["data.csv", 8, "text/csv"],
    ])
    expect(await results(id)).toMatchObject([{ isError: false, text: expect.stringContaining("hello notes") }])
    expect((await files(id)).data.map((f) => [f.path, f.tainted])).toEqual([
      ["data.csv", true],
      ["in/notes.md", undefined],
      ["pic.png", undefined],
    ])
    expect(await bytes(id, "pic.png")).toEqual(PNG)
  })

  test("[F55] [J14] a kill after the answer loses no file", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow", { files: { "a.txt": "kept" } })
    await untilIt(async () => model.asked > 0, "the call of the model")
    await abortAllDurableObjects()
    expect(await text(id, "a.txt")).toBe("kept")
    model.held = false
    expect((await until(id, ended)).status).toBe("succeeded")
  })

  test("[F55] [H3] the body may have 10 MiB with files, and 1 MiB without", async () => {
    const large = "x".repeat(9 * 1024 * 1024)
    const id = await start("reads", { files: { "in/notes.md": "n", "large.txt": large } })
    expect((await files(id)).data.map((f) => f.size)).toContain(large.length)
    const tooLong = await call("POST", "/v1/flows/reads/runs", { task: "x".repeat(1_100_000) })
    expect([tooLong.status, (await tooLong.json<{ detail: string }>()).detail]).toEqual([413, expect.stringContaining("1 MiB")])
    const tooLarge = await call("POST", "/v1/flows/reads/runs", { files: { "a.txt": large, "b.txt": large } })
    expect([tooLarge.status, (await tooLarge.json<{ detail: string }>()).detail]).toEqual([413, expect.stringContaining("10 MiB")])
  })

  test("[F55] [H4] files belong to the request that an Idempotency-Key names", async () => {
    const key = { "idempotency-key": `files-${crypto.randomUUID()}` }
    const begin = (content: string) => call("POST", "/v1/flows/reads/runs", { files: { "in/notes.md": content } }, key)
    const [first, again, other] = [await begin("one"), await begin("one"), await begin("two")]
    expect([first.status, again.status, other.status]).toEqual([202, 202, 422])
    expect((await again.json<RunView>()).id).toBe((await first.json<RunView>()).id)
  })

  test("[F50b] context files come from the files of the start, as far as the agent may read them", async () => {
    const id = await start("styled", { files: { "style.md": { text: "Be brief.", untrusted: true }, "secret/x.md": "hidden" } })
    expect((await until(id, ended)).status).toBe("succeeded")
    const events = await eventsOf(id)
    expect(events.find((e) => e.type === "context.read")).toMatchObject({
      step: "a",
      text: "## style.md\n\n(style.md: in the message)",
      outside: expect.stringMatching(/<untrusted id="[0-9a-f]{16}" source="style\.md">\nBe brief\./),
      files: [{ path: "style.md" }],
      tainted: true,
    })
    expect(events.flatMap((e) => (e.type === "warning" && e.code === "context_file" ? [e.message] : []))).toHaveLength(2)
  })

  test("[F55] [T32] a secret in a file is taken out", async () => {
    await call("PUT", "/v1/secrets/filesecret", { value: "correct-horse-battery-staple" })
    const id = await start("reads", { files: { "in/notes.md": "the key is correct-horse-battery-staple" } })
    expect(await text(id, "in/notes.md")).toBe("the key is [secret:filesecret]")
  })
})

describe("a file put later", () => {
  test("[F55] while a step waits for a person, the file is taken and the step reads it", async () => {
    const id = await start("asks", { autonomous: false })
    const waiting = await until(id, (r) => r.status === "waiting")
    expect(waiting.waiting?.reason).toBe("interaction")
    const made = await put(id, "late.txt", "better late")
    expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/runs/${id}/files/late.txt`])
    expect((await put(id, "late.txt", "better later")).status).toBe(200)
    expect((await put(id, "late.txt/x", "no")).status).toBe(422)
    expect((await runOf(id)).status).toBe("waiting")
    await evictDurableObject(stub(id))
    await ask("POST", `/v1/runs/${id}/interactions/i1`, { answer: "yes" })
    expect((await until(id, ended)).status).toBe("succeeded")
    expect((await results(id)).at(-1)?.text).toContain("better later")
    const over = await put(id, "late.txt", "too late")
    expect([over.status, (await over.json<{ code: string }>()).code]).toEqual([409, "run_over"])
  })

  test("[F55] while a step is at work, the file is refused with the step's name", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow")
    await untilIt(async () => model.asked > 0, "the call of the model")
    const refused = await put(id, "a.txt", "x")
    const problem = await refused.json<{ code: string; detail: string }>()
    expect([refused.status, problem.code, problem.detail]).toEqual([409, "steps_at_work", expect.stringContaining('"a"')])
    expect(await paths(id)).toEqual([])
    model.held = false
    await until(id, ended)
  })

  test("[F55] [H2] an unknown run is 404, whatever the path", async () => {
    const id = await start("reads", { files: { "in/notes.md": "n" } })
    const unknown = id.replace(/.$/, (c) => (c === "0" ? "1" : "0"))
    for (const path of ["a.txt", "..%2Fx"]) expect((await put(unknown, path, "x")).status).toBe(404)
    for (const path of ["a%E2%80%8Bb.txt", "..%2Fx", "a%5Cb"]) expect((await put(id, path, "x")).status).toBe(422)
  })
})

describe("a start that no one waits for", () => {
  test("[F55] [G11] a hook's mapping makes files, which are tainted", async () => {
    await call("PUT", "/v1/secrets/filehook", { value: "token-of-the-hook" })
    const hook = await ask<{ id: string }>("POST", "/v1/hooks", {
      flow: "reads",
      kind: "token",
      secret: "filehook",
      mapping: {
        task: "look",
        files: {
          "in/notes.md": "Title: ${{trigger.body.title}}",
          "pic.png": { base64: "${{trigger.body.image}}" },
          "none.txt": "${{trigger.body.none}}",
        },
      },
    })
    const delivered = await SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, {
      method: "POST",
      headers: { authorization: "Bearer token-of-the-hook", "content-type": "application/json" },
      body: JSON.stringify({ title: "from outside", image: base64(PNG) }),
    })
    const { run } = await delivered.json<{ run: string }>()
    expect((await until(run, ended)).status).toBe("succeeded")
    expect((await files(run)).data.map((f) => [f.path, f.tainted])).toEqual([
      ["in/notes.md", true],
      ["pic.png", true],
    ])
    expect(await text(run, "in/notes.md")).toBe("Title: from outside")
    expect(await bytes(run, "pic.png")).toEqual(PNG)
  })

  test("[F55] a delivery whose file is not base64 starts nothing, and says so", async () => {
    const hook = await ask<{ id: string }>("POST", "/v1/hooks", {
      flow: "reads",
      kind: "token",
      secret: "filehook",
      mapping: { files: { "a.bin": { base64: "${{trigger.body.image}}" } } },
    })
    await SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, {
      method: "POST",
      headers: { authorization: "Bearer token-of-the-hook", "content-type": "application/json" },
      body: JSON.stringify({ image: "not base64!" }),
    })
    const [row] = await untilIt(async () => {
      const { data } = await ask<{ data: { verdict: string; reason: string }[] }>("GET", `/v1/hooks/${hook.id}/deliveries`)
      return data[0]?.verdict === "failed" ? data : undefined
    }, "the failed delivery")
    expect(row?.reason).toContain("is not base64")
  })

  test("[F55] [W5] a schedule's files are in each of its runs", async () => {
    const schedule = await ask<{ id: string; files: unknown }>("POST", "/v1/schedules", {
      flow: "reads",
      cron: "0 0 1 1 *",
      files: { "in/notes.md": "every time" },
    })
    expect(schedule.files).toEqual({ "in/notes.md": "every time" })
    const { run } = await ask<{ run: string }>("POST", `/v1/schedules/${schedule.id}/fire`, {})
    expect((await until(run, ended)).status).toBe("succeeded")
    expect(await text(run, "in/notes.md")).toBe("every time")
    const bad = await call("POST", "/v1/schedules", { flow: "reads", cron: "0 0 1 1 *", files: { "../x": "no" } })
    expect(bad.status).toBe(422)
  })
})
