// Files that come with a task [F56]: which, when they are read, what the journal keeps, what a shortening leaves of them.

import { describe, expect, test } from "vitest"
import type { Attachment, StartFile } from "../../../../src/core/run/event-parts.ts"
import { requestBytes } from "../../../../src/core/run/budget/budget-bytes.ts"
import { mentionsIn, MAX_WANTED } from "../../../../src/core/run/session/files/attaching.ts"
import { messages, type Turn } from "../../../../src/core/run/session/conversation.ts"
import { agent, agentOf, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"
import { cpuClock } from "../../../support/cpu-clock.ts"

const given = (path: string, type?: string): StartFile => ({ path, hash: `hash of ${path}`, size: 10, ...(type ? { type } : {}) })
const shown = (path: string, tokens = 100): Attachment => ({ path, hash: `hash of ${path}`, type: "image/png", size: 10, tokens })
const open = (options: StartOptions = {}, step: object = {}): Shell =>
  new Shell(planOf(flowOf([agent("a", step)]), [agentOf("worker")]), options)
const withFiles = (...files: StartFile[]): StartOptions => ({ started: { files } })
const turns = (shell: Shell): Turn[] => {
  const { session } = shell.state("a")
  const seqs = new Set(session?.seqs)
  return session
    ? messages(
        session,
        shell.log.filter((e) => seqs.has(e.seq)),
      )
    : []
}
const wanted = (shell: Shell): readonly string[] | undefined => shell.events("step.opened")[0]?.attach
const read = (shell: Shell, attached: Attachment[], more: object = {}) =>
  shell.tell({ type: "context", key: "a/1/0/context", step: "a", read: { text: "", files: [], faults: [], attached, ...more } })

describe("which files come with a task", () => {
  test("[F56] pictures and PDFs of the start, where the step uses the run's task", () => {
    const files = withFiles(given("a.png", "image/png"), given("b.txt", "text/plain"), given("c", "application/pdf"), given("d.bin"))
    expect(wanted(open(files))).toEqual(["a.png", "c"])
    expect(wanted(open(files, { task: "Look: ${{task}}" }))).toEqual(["a.png", "c"])
    expect(wanted(open(files, { task: "Something else." }))).toBeUndefined()
    expect(wanted(open(files, { task: "Compare @c with @new/plan.pdf and ask bob@example.com about @b.txt." }))).toEqual([
      "c",
      "new/plan.pdf",
    ])
  })

  test("[F56] a run without them asks for nothing, and its events are as before", () => {
    const shell = open({ task: "Mail bob@example.com, @alice" })
    expect(wanted(shell)).toBeUndefined()
    expect(JSON.stringify(shell.log)).not.toContain("attach")
    expect(shell.keys()).toEqual(["a/1/0/model"])
  })

  test("[F56] a mention is a path after an @", () => {
    expect(mentionsIn('See @a.png, (@b/c.jpg) and @"my scan.pdf"! Not x@y.png or @../e.png; **@f.webp**.')).toEqual([
      "a.png",
      "b/c.jpg",
      "my scan.pdf",
      "f.webp",
    ])
    const spent = cpuClock()
    mentionsIn("@".repeat(200_000) + "a@".repeat(100_000) + "@x".repeat(100_000))
    expect(spent()).toBeLessThan(4_000)
  })

  test("[F56] at most 50 come", () => {
    const many = Array.from({ length: 200 }, (_, i) => given(`${i}.png`, "image/png"))
    expect(wanted(open(withFiles(...many)))).toHaveLength(MAX_WANTED)
  })
})

describe("files that came with a task", () => {
  const start = withFiles(given("a.png", "image/png"), given("b.png", "image/png"))

  test("[F56] [J21] they are read before the first call, journaled by hash, and stand with the task in every turn", () => {
    const shell = open({ ...start, task: "Look." })
    expect(shell.keys()).toEqual(["a/1/0/context"])
    const before = requestBytes(shell.run, "a")
    read(shell, [shown("a.png")], { unseen: [{ path: "b.png", why: "its bytes say otherwise" }] })
    expect(requestBytes(shell.run, "a")).toBeGreaterThanOrEqual(before + 100)
    const task: Turn = { role: "user", text: "Look.\n\n[b.png is not shown: its bytes say otherwise]", attached: [shown("a.png")] }
    expect(turns(shell)).toEqual([task])
    expect(shell.events("warning")).toMatchObject([
      { code: "not_shown", step: "a", message: "b.png is not shown: its bytes say otherwise" },
    ])
    shell.reply("a", call("look"))
    shell.crash()
    shell.returns("a", "c0")
    expect(turns(shell)[0]).toEqual(task)
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F56] [J10] a crash while they are read reads them again", () => {
    const shell = open(start)
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/context"])
    expect(read(shell, [shown("a.png")]).ok).toBe(true)
    expect(read(shell, [shown("a.png")]).ok).toBe(false)
  })

  test("[F56] [G11] a picture from outside taints the session like a text", () => {
    const shell = open(start)
    read(shell, [{ ...shown("a.png"), tainted: true }], { tainted: true, private: true })
    expect(shell.state("a").session).toMatchObject({ tainted: true, private: true })
  })
})

describe("files that results show", () => {
  const reading = (...sizes: number[]): Shell => {
    const shell = open()
    for (const [i, tokens] of sizes.entries()) {
      shell.reply("a", call("look", { n: i }, `r${i}`))
      const content = [{ type: "text" as const, text: "here" }]
      const result = { isError: false, content, digest: `d${i}`, attached: [shown(`${i}.png`, tokens)] }
      expect(shell.tell({ type: "tool.result", key: shell.flying("a", `/tool/r${i}`), result }).ok).toBe(true)
    }
    return shell
  }
  const paths = (shell: Shell): string[] =>
    turns(shell).flatMap((t) => (t.role === "assistant" ? [] : (t.attached ?? []).map((f) => f.path)))

  test("[F56] they are in the journal by hash, and in the conversation after a crash", () => {
    const shell = reading(100, 200)
    expect(shell.events("tool.returned").map((e) => e.attached)).toEqual([[shown("0.png", 100)], [shown("1.png", 200)]])
    shell.crash()
    expect(paths(shell)).toEqual(["0.png", "1.png"])
    expect(shell.state("a").session?.pictures?.map(({ tokens }) => tokens)).toEqual([100, 200])
  })

  test("[F56] [J23] when the conversation is too long, older ones are left out first, and a sentence says so", () => {
    const shell = reading(60_000, 60_000, 10_000)
    expect(shell.keys()).toEqual(["a/1/3/compact"])
    const [second] = shell.events("tool.returned").slice(1)
    const before = shell.state("a").session?.bytes ?? 0
    const done = { kind: "pictures" as const, upTo: second?.seq ?? 0, bytes: before - 120_000 }
    expect(shell.tell({ type: "compacted", key: "a/1/3/compact", step: "a", done }).ok).toBe(true)
    expect(shell.events("context.compacted")).toMatchObject([{ kind: "pictures", bytes: before - 120_000 }])
    expect(shell.keys()).toEqual(["a/1/3/model"])
    expect(paths(shell)).toEqual(["2.png"])
    expect(turns(shell)[2]).toMatchObject({
      content: [
        { text: "here" },
        { text: "[0.png (image/png) was shown here and is left out now, to make room: read it again to see it]" },
      ],
    })
    expect(shell.state("a").session).toMatchObject({ bytes: before - 120_000, pictures: [{ tokens: 10_000 }] })
    shell.crash()
    expect(paths(shell)).toEqual(["2.png"])
  })

  test("[B1] [J23] a picture's tokens count as they are, whatever text costs", () => {
    // 100,000 tokens fit 128,000; 250,000 bytes of text at 0.4 tokens a byte would too.
    expect(reading(100_000).keys()).toEqual(["a/1/1/model"])
    expect(reading(60_000, 70_000).keys()).toEqual(["a/1/2/compact"])
  })
})
