// `sluice types`: the declarations of a project, and what the compiler makes of them: with the client, handlers, React and tests.

import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
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

async function compiled(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      emitDeclarationOnly: false,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      isolatedDeclarations: false,
      noPropertyAccessFromIndexSignature: false,
      lib: ["ES2023", "DOM", "DOM.AsyncIterable"],
      types: [],
      paths: {
        sluice: [path.join(root, "package/client.ts")],
        "sluice/react": [path.join(root, "package/react.ts")],
        react: [path.join(root, "console/node_modules/@types/react/index.d.ts")],
      },
    },
    files: Object.keys(files),
    include: [],
    references: [],
  }
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = path.join(root, "test/ci/node_modules/typescript/bin/tsc")
  const done = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" })
  return done.stdout + done.stderr
}

describe("sluice types", () => {
  test("[F24c] starts, outputs, handlers, tools and hooks are typed by the project, and dynamic names are as before", async () => {
    expect(await compiled({ "sluice.d.ts": typesOf(PROJECT), "use.ts": WITH })).toBe("")
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
})
