// Pictures and PDFs through the conductor [F56]: with the task, by `read`, after a crash, when the conversation is too long.

import { describe, expect, test } from "vitest"
import type { StartFile } from "../../../../src/core/run/event-parts.ts"
import { providerModel } from "../../../../src/models/providers.ts"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import { sha256, Stand, type Asked } from "../../../support/engine/stand.ts"
import { replay } from "../../../support/kernel/replay.ts"
import type { Tool } from "../../../../src/ports/tool.ts"
import { base64, pdf, png } from "../../../support/media/media.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const worker = (more = ""): string => `---\nname: w\ndescription: d\ntools: [read, write]\n${more}---\nWork.\n`
const done = { finish: { status: "complete", summary: "done" } }

interface Given {
  readonly body: Uint8Array
  readonly type?: string
  readonly tainted?: true
}

/** A run that begins with these files. */
async function began(files: Record<string, Given>, { task = "Look.", flow = FLOW, agent = worker() } = {}): Promise<Stand> {
  const stand = new Stand(flow, [agent])
  const given: StartFile[] = []
  for (const [path, { body, ...more }] of Object.entries(files))
    given.push({ path, hash: await stand.blobs.put(body), size: body.length, ...more })
  const told = stand.conductor.tell(
    {
      type: "start",
      started: {
        type: "run.started",
        run: "run_x",
        flow: "f",
        task,
        inputs: {},
        autonomous: true,
        rehearsed: false,
        trigger: { kind: "api" },
        pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
        ...(given.length === 0 ? {} : { files: given }),
      },
    },
    { files: given.map(({ path, hash, size, tainted }) => ({ path, base: null, hash, size, ...(tainted ? { tainted } : {}) })) },
  )
  expect(told.ok).toBe(true)
  return stand
}
const reads = async (stand: Stand, path: string): Promise<Asked> => {
  await (await stand.next("a")).answer({ calls: [{ name: "read", args: { path } }] })
  await stand.settle()
  return stand.next("a")
}
/** [K18] What the run did is decided again from its journal. */
const replays = (stand: Stand): void => expect(replay(stand.plan, stand.events(), sha256).fault).toBeUndefined()
const shown = ({ request }: Asked): string[] =>
  request.messages.flatMap((m) => (m.role === "assistant" ? [] : (m.attached ?? []).map((f) => f.path)))
const photo = { "in/photo.png": { body: png(640, 480), type: "image/png" } }

describe("with the task", () => {
  test("[F56] pictures of the start stand with it, by hash; the bytes can be read", async () => {
    const stand = await began({ ...photo, "notes.txt": { body: new TextEncoder().encode("n") } })
    const asked = await stand.next("a")
    expect(shown(asked)).toEqual(["in/photo.png"])
    const [task] = asked.request.messages
    const hash = task?.role === "user" ? (task.attached?.[0]?.hash ?? "") : ""
    expect(await asked.request.body?.(hash)).toEqual(png(640, 480))
    expect(stand.events().find((e) => e.type === "context.read")).toMatchObject({ attached: [{ path: "in/photo.png", width: 640, hash }] })
    await asked.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(JSON.stringify(stand.events())).not.toContain("iVBOR")
  })

  test("[F56] a mention in a step's task brings a file that an earlier step wrote", async () => {
    const flow = `name: f
description: d
steps:
  - { id: a, type: agent, agent: w, task: "Draw it." }
  - { id: b, type: agent, agent: w, task: "Check @out/plan.pdf and @out/none.png.", blockedBy: [a] }
`
    const stand = await began({}, { flow })
    const text = new TextDecoder().decode(pdf(1))
    await (await stand.next("a")).answer({ calls: [{ name: "write", args: { path: "out/plan.pdf", content: text } }] })
    await stand.settle()
    await (await stand.next("a")).answer(done)
    const asked = await stand.next("b")
    expect(shown(asked)).toEqual(["out/plan.pdf"])
    expect(asked.request.messages[0]).toMatchObject({
      text: "Check @out/plan.pdf and @out/none.png.\n\n[out/none.png is not shown: it does not exist, or this agent may not read it]",
    })
  })

  test("[F56] [G7] what the agent may not read is not shown to it", async () => {
    const stand = await began(photo, { agent: worker("access: { read: [out/**] }\n") })
    const asked = await stand.next("a")
    expect(shown(asked)).toEqual([])
    expect(JSON.stringify(asked.request.messages)).toContain("in/photo.png is not shown")
  })

  test("[F56] [G11] one from outside taints the session, and its label says so", async () => {
    const stand = await began({ "in/photo.png": { ...photo["in/photo.png"], tainted: true } })
    const asked = await stand.next("a")
    expect(stand.conductor.run.steps["a"]?.session).toMatchObject({ tainted: true })
    const [task] = asked.request.messages
    expect(task?.role === "user" && task.attached?.[0]?.tainted).toBe(true)
  })

  test("[F56] [J10] after a crash between the turns the same request is made, byte for byte", async () => {
    const stand = await began({ ...photo, "in/bill.pdf": { body: pdf(2), type: "application/pdf" } })
    const asked = await reads(stand, "in/bill.pdf")
    expect(shown(asked)).toEqual(["in/photo.png", "in/bill.pdf"])
    expect(asked.request.messages.at(-1)).toMatchObject({
      content: [{}, { text: "[in/bill.pdf (application/pdf) is the same file as above]" }],
    })
    const bodyOf = async ({ request }: Asked): Promise<string> => {
      let sent = ""
      const fetch = async (_input: unknown, init?: RequestInit): Promise<Response> => {
        sent = String(init?.body)
        return new Response("", { status: 500 })
      }
      const made = providerModel({ kind: "anthropic", apiKey: "k" }, "claude-sonnet-4-5", {
        environment: "production",
        fetch: fetch as typeof globalThis.fetch,
      })
      if (!made.ok) throw new Error(made.error.message)
      for await (const _ of made.value.reply(request, new AbortController().signal));
      return sent
    }
    const before = await bodyOf(asked)
    stand.crash()
    const again = await stand.next("a")
    expect(await bodyOf(again)).toBe(before)
    expect(before.match(/"type":"document"/g)).toHaveLength(1)
    expect(before.match(/"type":"image"/g)).toHaveLength(1)
    await again.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
    replays(stand)
  })
})

describe("read", () => {
  test("[F56] [T20] shows a picture and a PDF by their bytes, whatever they are called", async () => {
    const stand = await began({ scan: { body: png(30, 40) }, "a.txt": { body: pdf(1) } }, { task: "Look." })
    // The start did not say what they are, so they did not come with the task.
    const first = await reads(stand, "scan")
    expect(shown(first)).toEqual(["scan"])
    expect(first.request.messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ text: `scan is image/png, ${png(30, 40).length} bytes.` }],
    })
    await first.answer({ calls: [{ name: "read", args: { path: "a.txt" } }] })
    await stand.settle()
    expect(shown(await stand.next("a"))).toEqual(["scan", "a.txt"])
    expect(stand.events().flatMap((e) => (e.type === "tool.returned" ? [e.attached?.[0]?.type] : []))).toEqual([
      "image/png",
      "application/pdf",
    ])
  })

  test("[F56] what is no picture is text, or says that it is none", async () => {
    const stand = await began(
      { "a.png": { body: new TextEncoder().encode("text") }, "b.png": { body: new Uint8Array([1, 0, 2]) } },
      { task: "x" },
    )
    expect((await reads(stand, "a.png")).request.messages.at(-1)).toMatchObject({ content: [{ text: "text" }] })
    const stand2 = await began({ "b.png": { body: new Uint8Array([1, 0, 2]) } }, { task: "x" })
    expect((await reads(stand2, "b.png")).request.messages.at(-1)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("b.png is not text") }],
    })
  })

  test("[F56] one that is too large says so, and the session goes on", async () => {
    const stand = await began({ "a.png": { body: png(9_000, 10) } }, { task: "x" })
    const asked = await reads(stand, "a.png")
    expect(shown(asked)).toEqual([])
    expect(asked.request.messages.at(-1)).toMatchObject({
      isError: false,
      content: [
        { text: expect.stringContaining("a.png is image/png") },
        { text: expect.stringMatching(/^\[a\.png is not shown: it has 9000 × 10 pixels/) },
      ],
    })
  })

  test("[F56] [G9] a picture that changes under its name is another result", async () => {
    const digests = await Promise.all(
      [png(1, 1), png(1, 2)].map(async (body) => {
        const stand = await began({ "a.png": { body } }, { task: "x" })
        await reads(stand, "a.png")
        return stand.events().flatMap((e) => (e.type === "tool.returned" ? [e.digest] : []))[0]
      }),
    )
    expect(digests[0]).not.toBe(digests[1])
  })

  test("[F56] [G11] a picture from outside taints the reader like a text", async () => {
    const stand = await began({ "a.png": { body: png(1, 1), tainted: true } }, { task: "x" })
    const asked = await reads(stand, "a.png")
    expect(stand.events().find((e) => e.type === "tool.returned")).toMatchObject({ tainted: true, attached: [{ tainted: true }] })
    expect(asked.request.messages.at(-1)).toMatchObject({
      content: [{ text: expect.stringMatching(/^<untrusted id="[0-9a-f]+" source="read">/) }],
    })
  })

  test("[F56] [T32] with a secret set, the picture is shown all the same", async () => {
    const stand = await began({ "a.png": { body: png(1, 1) } }, { task: "x" })
    stand.redactor = new Redactor([["key", ["correct-horse-battery"]]])
    expect(shown(await reads(stand, "a.png"))).toEqual(["a.png"])
  })
})

describe("a conversation with pictures that is too long", () => {
  test("[F56] [J23] older ones are left out first, without a model call, and everything said stays", async () => {
    // Each takes 46,000 tokens of the 128,000 that an unknown model takes.
    const stand = await began(Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.pdf`, { body: pdf(10, `${n}`) }])), { task: "x" })
    for (const n of [1, 2, 3])
      await (
        await reads(stand, `${n}.pdf`)
      ).answer({ text: `I saw ${n}`, calls: [{ name: "write", args: { path: `${n}.txt`, content: "seen" } }] })
    await stand.settle()
    const compacted = () => stand.events().flatMap((e) => (e.type === "context.compacted" ? [e.kind] : []))
    const last = await stand.next("a")
    expect(compacted()).toEqual(["pictures"])
    expect(shown(last)).not.toContain("1.pdf")
    expect(shown(last)).toContain("3.pdf")
    const text = JSON.stringify(last.request.messages)
    expect(text).toContain("[1.pdf (application/pdf) was shown here and is left out now, to make room: read it again to see it]")
    for (const n of [1, 2, 3]) expect(text).toContain(`I saw ${n}`)
    expect(text).not.toContain("older result, shortened")
    await last.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
    replays(stand)
  })

  test("[F56] [J23] a provider that refuses the first request because of its pictures is asked without them", async () => {
    const stand = await began(photo)
    await (await stand.next("a")).answer({ error: { status: 400, retryable: false, overflow: true } })
    const again = await stand.next("a")
    expect(shown(again)).toEqual([])
    expect(again.request.messages[0]).toMatchObject({
      text: expect.stringContaining("in/photo.png (image/png) was shown here and is left out now"),
    })
    await again.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
  })
})

describe("a provider that refuses what it is shown", () => {
  const refuse = (status: number, message: string) => ({ error: { status, retryable: status >= 500, message } })

  test.each([
    [400, "the provider answered 400: unknown variant `image_url`, expected `text`"],
    [404, "the provider answered 404: No endpoints found that support image input"],
    [422, "the provider answered 422: Could not process image"],
    [500, "the provider answered 500: image input is not supported"],
  ])("[F56] %d: it is asked again at once without it, once, and the model is told", async (status, message) => {
    const stand = await began(photo)
    await (await stand.next("a")).answer(refuse(status, message))
    const again = await stand.next("a")
    expect(shown(again)).toEqual([])
    expect(again.request.messages[0]).toMatchObject({
      text: expect.stringContaining("in/photo.png (image/png) is not shown: the provider of the model refuses it"),
    })
    expect(stand.events().filter((e) => e.type === "warning")).toMatchObject([{ code: "not_shown" }])
    await again.answer({ calls: [{ name: "read", args: { path: "in/photo.png" } }] })
    await stand.settle()
    const third = await stand.next("a")
    expect(shown(third)).toEqual([])
    expect(third.request.messages.at(-1)).toMatchObject({ content: [{}, { text: expect.stringContaining("refuses it") }] })
    stand.crash()
    expect((await stand.next("a")).request.messages).toEqual(third.request.messages)
    expect(stand.conductor.run.steps["a"]?.session).toMatchObject({ blind: true })
    replays(stand)
  })

  test("[F56] without anything shown, or for another reason, a refusal is final as before", async () => {
    const plain = await began({})
    await (await plain.next("a")).answer(refuse(400, "the provider answered 400: invalid image_url"))
    await plain.settle()
    expect(plain.conductor.run.status).toBe("failed")
    const other = await began(photo)
    await (await other.next("a")).answer(refuse(401, "the provider answered 401: no such key, see the documents"))
    await other.settle()
    expect(other.conductor.run.status).toBe("failed")
    const twice = await began(photo)
    for (let n = 0; n < 2; n++) await (await twice.next("a")).answer(refuse(400, "the provider answered 400: image"))
    await twice.settle()
    expect(twice.conductor.run.status).toBe("failed")
  })

  test("[F56] images that a tool sent as bytes are left out too", async () => {
    const shot: Tool = {
      name: "shot",
      description: "A picture of the screen.",
      parameters: { type: "object", properties: {} },
      effect: "read",
      contexts: ["agent"],
      execute: async () => ({ content: [{ type: "image", data: base64(png(1, 1)), mimeType: "image/png" }] }),
    }
    const stand = new Stand(FLOW, ["---\nname: w\ndescription: d\ntools: [shot]\n---\nWork.\n"], [shot])
    stand.start()
    await (await stand.next("a")).answer({ calls: [{ name: "shot", args: {} }] })
    await stand.settle()
    const asked = await stand.next("a")
    expect(asked.request.messages.at(-1)).toMatchObject({ content: [{ type: "image" }] })
    await asked.answer(refuse(400, "the provider answered 400: m is not a multimodal model"))
    const again = await stand.next("a")
    expect(again.request.messages.at(-1)).toMatchObject({
      content: [{ type: "text", text: "[an image is not shown: the provider of the model refuses it]" }],
    })
  })
})
