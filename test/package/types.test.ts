// `sluice types`: the declarations of a project, and what the compiler makes of them: with the client, handlers, React and tests.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { compiledIn } from "./compiled.ts"
import { typesOf } from "../../cli/types/typed-project.ts"
import { sluice } from "./sluice.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const PROJECT = {
  agents: {
    "sorter.md": `---
name: sorter
description: Sorts a ticket.
model: rehearsal/default
tools: []
inputs: [ticket]
outputs:
  - { name: kind, type: string, pattern: "^(refund|question)$", required: true }
  - { name: score, type: number }
---
Sort. \${{task}}
`,
  },
  flows: {
    "support.yaml": `name: support
description: Answers a ticket.
inputs:
  ticket: { type: string, required: true, description: The ticket's id. }
  limit: { type: number, default: 3 }
  tags: { type: array }
steps:
  - { id: sort, type: agent, agent: sorter, inputs: { ticket: "\${{flow.input.ticket}}" } }
  - id: choose
    type: code-decision
    inputs: { kind: "\${{result.sort.kind}}", text: "Ticket \${{flow.input.ticket}}", limit: "\${{flow.input.limit}}", score: "\${{result.sort.score}}" }
    outputs: [total]
    branches: { refund: pay, question: end }
  - { id: pay, type: code, blockedBy: [choose], inputs: { total: "\${{result.choose.total}}" }, outputs: [paid] }
  - { id: end, type: code, inputs: {}, outputs: [said] }
outputs:
  kind: "\${{result.sort.kind}}"
  status: "\${{result.sort.status}}"
  paid: "\${{result.pay.paid}}"
  line: "about \${{flow.input.ticket}}"
  limit: "\${{flow.input.limit}}"
`,
    "parent.yaml": `name: parent
description: d
steps:
  - { id: child, type: flow-ref, flow: support, inputs: { ticket: "t" } }
outputs: { kind: "\${{result.child.kind}}" }
`,
  },
  tools: {
    "reply.yaml": `description: Replies.
parameters:
  type: object
  properties: { ticket: { type: string, description: The id. }, tone: { type: string, enum: [warm, plain] }, copies: { type: array, items: { type: integer } } }
  required: [ticket]
request: { method: POST, url: "https://shop.example.com/tickets/{{ticket}}", body: "{{tone}}" }
`,
  },
}

/** Without the declarations everything is as in the rest of this repository, which is compiled without. */
const WITH = `import { Sluice, type AgentOutput, type Handler, type ToolArgs } from "sluice"
import { useFlow, useRun } from "sluice/react"
const client = new Sluice({ url: "https://a.example.com", key: "k" })
async function uses(): Promise<void> {
  const run = await client.flows.run("support", { inputs: { ticket: "T-1", tags: ["a"] } }).result()
  const kind: "refund" | "question" | undefined = run.output?.kind
  const status: "complete" | "error" | "blocked" | undefined = run.output?.status
  const line: string | undefined = run.output?.line
  await client.flows.start("support@draft:dev", { task: "x", inputs: { ticket: "T-1", limit: 4 } }, { idempotencyKey: "k" })
  await client.flows.run("parent").result().then(({ output }) => output?.kind === "refund")
  // @ts-expect-error -- there is no such flow
  client.flows.run("suport", { inputs: { ticket: "T-1" } })
  // @ts-expect-error -- an input must be given
  client.flows.run("support")
  // @ts-expect-error -- of another type
  client.flows.run("support", { inputs: { ticket: 5 } })
  // @ts-expect-error -- no such input
  client.flows.run("support", { inputs: { ticket: "T-1", tikcet: "T-1" } })
  // @ts-expect-error -- may be skipped
  const paid: number | string | boolean | null | object = run.output!.paid
  // @ts-expect-error -- no such output
  void run.output?.knid
  // @ts-expect-error -- not of the enum
  if (run.output?.kind === "spam") return
  const named: string = "any"
  await client.flows.run(named, { inputs: { what: 1 } }).result()
  void [kind, status, line, paid]
}
export const choose = (async ({ kind, text, limit, score }, ctx) => {
  ctx.log(text.toUpperCase())
  const { text: said, data } = await ctx.call("reply", { ticket: text, tone: "warm" })
  await ctx.call("a.tool.of.a.server", { any: data ?? said })
  // @ts-expect-error -- not of the enum
  void ctx.call("reply", { ticket: text, tone: "loud" })
  const most: number = limit + (score ?? 0)
  return { total: most, branch: kind }
}) satisfies Handler<"support/choose">
// @ts-expect-error -- no number
export const wrong = (({ text }) => ({ total: (text.toUpperCase() satisfies number), branch: "refund" })) satisfies Handler<"support/choose">
// @ts-expect-error -- misspelled
export const txet = (({ txet }) => ({ total: 1, branch: "refund" })) satisfies Handler<"support/choose">
// @ts-expect-error -- no branch of it
export const spam = (() => ({ total: 1, branch: "spam" })) satisfies Handler<"support/choose">
// @ts-expect-error -- there is no such handler
export type None = Handler<"support/chose">
export const score: AgentOutput<"sorter">["score"] = 3
export const args: ToolArgs<"reply"> = { ticket: "T", tone: "warm", copies: [1] }
// @ts-expect-error -- not of the enum
export const loud: ToolArgs<"reply"> = { ticket: "T", tone: "loud" }
export function Page(): string | undefined {
  const flow = useFlow("support")
  void flow.start({ inputs: { ticket: "T-1" } })
  // @ts-expect-error -- an input must be given
  void flow.start()
  return useRun<"support">("run_1").output?.line ?? flow.output?.line
}
void uses
`
let folder = ""
beforeEach(async () => {
  // Where the package's types find its dependencies.
  folder = await mkdtemp(path.join(root, "dist", "types-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const compiled = (files: Readonly<Record<string, string>>): Promise<string> => compiledIn(folder, files)

describe("sluice types", () => {
  test("[F24c] starts, outputs, handlers, tools and hooks are typed by the project, and dynamic names are as before", async () => {
    expect(await compiled({ "sluice.d.ts": typesOf(PROJECT), "use.ts": WITH })).toBe("")
  }, 60_000)

  test("[F24c] what a handler returns is the type of its outputs: for later steps and for the flow's end, and around a loop it is JSON", async () => {
    const code = {
      "sum/add.ts": `import type { Handler } from "sluice"
export default (async ({ amounts, before }) => {
  // @ts-expect-error -- a later step's, which depends on this one
  const last: number = before
  return { total: amounts.length, lines: [{ text: "a" }], maybe: last > 1 ? "x" : undefined }
}) satisfies Handler<"sum/add">`,
      "sum/check.ts": `import type { Handler } from "sluice"
export default (({ total, lines, old }) => {
  const [first] = lines
  // @ts-expect-error -- of JavaScript: any JSON
  const word: string = old
  return { paid: total.toFixed(2) + first!.text + word, branch: total > 1 ? "again" : "done" }
}) satisfies Handler<"sum/check">`,
      "sum/old.js": "export default () => ({ word: 'a' })",
      "above/show.ts": `import type { Handler } from "sluice"
export default (({ paid }) => ({ said: paid.toUpperCase() })) satisfies Handler<"above/show">`,
    }
    const flows = {
      "sum.yaml": `name: sum
description: d
inputs: { amounts: { type: array, required: true } }
steps:
  - { id: old, type: code, inputs: {}, outputs: [word] }
  - { id: add, type: code, inputs: { amounts: "\${{flow.input.amounts}}", before: "\${{result.check.paid}}" }, outputs: [total, lines, maybe] }
  - id: check
    type: code-decision
    inputs: { total: "\${{result.add.total}}", lines: "\${{result.add.lines}}", old: "\${{result.old.word}}" }
    outputs: [paid]
    branches: { again: add, done: end }
    max_iterations: 3
  - { id: end, type: wait, for: 1s }
outputs: { total: "\${{result.add.total}}", lines: "\${{result.add.lines}}", paid: "\${{result.check.paid}}", maybe: "\${{result.add.maybe}}" }
`,
      "above.yaml": `name: above
description: d
inputs: { amounts: { type: array, required: true } }
steps:
  - { id: sum, type: flow-ref, flow: sum, inputs: { amounts: "\${{flow.input.amounts}}" } }
  - { id: show, type: code, inputs: { paid: "\${{result.sum.paid}}" }, outputs: [said] }
outputs: { said: "\${{result.show.said}}" }
`,
    }
    const use = `import type { FlowOutput } from "sluice"
export const whole: FlowOutput<"sum"> = { total: 1, lines: [{ text: "a" }], paid: "1.00", maybe: undefined }
// @ts-expect-error -- a number
export const total: FlowOutput<"sum">["total"] = "1"
export const said: FlowOutput<"above">["said"] = "ONE"
// @ts-expect-error -- a text
export const loud: FlowOutput<"above">["said"] = 1
`
    const files = Object.fromEntries(Object.entries(code).map(([name, text]) => [`code/${name}`, text]))
    expect(await compiled({ ...files, "sluice.d.ts": typesOf({ flows, code }), "use.ts": use })).toBe("")
  }, 60_000)

  test("[F24c] the file is the same for the same project, and --check tells one that is not", async () => {
    await writeFile(path.join(folder, "sluice.yaml"), "name: t\n")
    const run = (...words: string[]) => sluice(words, { cwd: folder })
    await mkdir(path.join(folder, "flows"))
    await writeFile(path.join(folder, "flows/support.yaml"), PROJECT.flows["support.yaml"])
    expect((await run("types", "--check")).code).toBe(3)
    expect((await run("types")).out).toBe("+ sluice.d.ts\n")
    expect((await run("types")).out).toBe("sluice.d.ts is as the project is\n")
    expect((await run("types", "--check")).code).toBe(0)
    expect(await readFile(path.join(folder, "sluice.d.ts"), "utf8")).toContain("readonly ticket: string")
  })

  test("[F24c] --ask keeps what only the server knows: tools of the project's MCP servers as approved, and of src/index.ts; then files are enough", async () => {
    const row = (name: string, source?: object): object => ({
      name,
      description: `Of ${name}.`,
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      ...(source === undefined ? {} : { source }),
    })
    const data = [
      row("mcp:docs:search", { kind: "mcp", name: "docs" }),
      row("mcp:others:search", { kind: "mcp", name: "others" }),
      row("stamp"),
      row("bash"),
      { name: "absent", available: false, reason: "no binding" },
    ]
    const server = createServer((_, answer) => {
      answer.writeHead(200, { "content-type": "application/json" })
      answer.end(JSON.stringify({ data, next_cursor: null }))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    try {
      await writeFile(path.join(folder, "sluice.yaml"), "name: t\ntools: [stamp]\n")
      await mkdir(path.join(folder, "tools"))
      await writeFile(path.join(folder, "tools/docs.yaml"), "url: https://docs.example.com/mcp\n")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const asked = await sluice(["types", "--ask", "--url", url, "--key", "k"], { cwd: folder })
      expect([asked.code, asked.out]).toEqual([0, "+ sluice.d.ts\n"])
      expect(Object.keys(JSON.parse(await readFile(path.join(folder, "tools.lock.json"), "utf8")) as object)).toEqual([
        "mcp:docs:search",
        "stamp",
      ])
    } finally {
      server.close()
    }
    expect((await sluice(["types", "--check"], { cwd: folder })).code).toBe(0)
    const args = "{\n        readonly args: {\n          readonly text: string\n        }\n      }"
    const text = await readFile(path.join(folder, "sluice.d.ts"), "utf8")
    expect(text).toContain(`readonly "mcp:docs:search": ${args}`)
    expect(text).toContain(`readonly stamp: ${args}`)
    await rm(path.join(folder, "tools.lock.json"))
    expect((await sluice(["types", "--check"], { cwd: folder })).code).toBe(3)
  }, 60_000)
})
