// [F77] A repair reaches what a failed run was made of: the handlers of code steps, and agents and flows that a package brought. What the
// architect writes is the tenant's own file, which hides the package's.

import { beforeAll, describe, expect, test } from "vitest"
import type { ArchitectSession } from "../../../../src/api/doc/architect.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { ask, call, ended, flow, runOf, start, until } from "../../../support/worker/house.ts"

const agent = (name: string, tools: string, model = name): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: mending/${model}\ntools: ${tools}\n---\nYou are ${name}. \${{task}}\n`
const step = (id: string, more: string): string => `  - { id: ${id}, ${more} }\n`
const CODE = "type: code, inputs: { n: 2 }, outputs: [ { name: n, type: number } ]"
const SUMS = flow("sums", step("read", "type: agent, agent: counter") + step("add", `${CODE}, blockedBy: read`))
const PACKED = flow("packed", step("add", CODE) + step("say", "type: agent, agent: speaker, blockedBy: add"))
const RIGHT = "export default function (input) { return { n: input.n + 1 } }\n"
const WRONG = 'export default function (input) { throw new Error("no sum of " + input.n) }\n'

const done = (summary: string) => ({ finish: { status: "complete", summary } })
const write = (path: string, content: string, tool = "flow_write") => ({ calls: [{ tool, args: { path, content } }] })
const finish = (path: string) => ({ finish: { status: "complete", summary: "mended", flow_path: path } })

const SCRIPTS = {
  counter: [done("counted")],
  speaker: [{ finish: { status: "error", summary: "I am mute" } }],
  loud: [done("said")],
  handler: [write("code/sums/add.ts", RIGHT), write("flows/sums.yaml", SUMS), finish("flows/sums.yaml")],
  outside: [write("code/sums/add.ts", RIGHT), finish("flows/sums.yaml")],
  packed: [
    write("agents/speaker.md", agent("speaker", "[]", "loud"), "agent_write"),
    write("flows/packed.yaml", PACKED),
    finish("flows/packed.yaml"),
  ],
  whole: [
    write("agents/speaker.md", agent("speaker", "[]", "loud"), "agent_write"),
    write("code/packed/add.ts", RIGHT),
    write("flows/packed.yaml", `${PACKED}${step("more", "type: wait, for: 1s, blockedBy: say")}`),
    finish("flows/packed.yaml"),
  ],
}

const repairs = async (run: string, script: string): Promise<ArchitectSession> => {
  await ask("PUT", "/v1/settings/roles", { planning: `mending/${script}` })
  return ask("POST", `/v1/runs/${run}/repair`, {}, { prefer: "wait=60" })
}
const told = async ({ run }: ArchitectSession): Promise<string> => (await runOf(run)).task
async function failed(name: string, at: string): Promise<RunView> {
  const run = await until(await start(name), ended)
  expect(run).toMatchObject({ status: "failed", error: { step: at } })
  return run
}

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/mending", { kind: "scripted", turns: SCRIPTS })
  await ask("PUT", "/v1/packages/pack", {
    version: "1",
    agents: { "speaker.md": agent("speaker", "[]") },
    flows: { "packed.yaml": PACKED },
    code: { "packed/add.ts": RIGHT },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "counter.md": agent("counter", "[]") },
    flows: { "sums.yaml": SUMS },
    code: { "sums/add.ts": WRONG },
  })
})

describe("a repair", () => {
  test("[F77] shows the handler that failed, takes the mended one, and proves it from its step", async () => {
    const run = await failed("sums", "add")
    const session = await repairs(run.id, "handler")
    const task = await told(session)
    for (const part of ['<handler path="code/sums/add.ts">', WRONG.trim()]) expect(task).toContain(part)
    expect(session).toMatchObject({ status: "ready", valid: true, files: [{ path: "code/sums/add.ts", change: "changed" }] })
    expect(session.diff["code/sums/add.ts"]).toContain("+export default function (input) { return { n: input.n + 1 } }")
    expect(session.repair?.proof).toMatchObject({ fork: { from: "step", status: "succeeded" } })
    expect((await until(await start("sums"), ended)).status).toBe("failed")

    await ask("POST", `/v1/architect/${session.id}/accept`)
    expect((await until(await start("sums"), ended)).status).toBe("succeeded")
  })

  test("[F77] rewrites an agent of a package by an own one; the package's flow and its handlers stay", async () => {
    const run = await failed("packed", "say")
    const session = await repairs(run.id, "packed")
    const task = await told(session)
    for (const part of ['<agent path="agents/speaker.md">', '<handler path="code/packed/add.ts">', "go with it"])
      expect(task).toContain(part)
    expect(session.files.map(({ path }) => path)).toEqual(["agents/speaker.md"])
    expect(session.repair?.proof).toMatchObject({ fork: { from: "step", status: "succeeded" } })
    await ask("POST", `/v1/architect/${session.id}/accept`)
    expect((await until(await start("packed"), ended)).status).toBe("succeeded")
    await call("DELETE", "/v1/agents/speaker?force=1")
  })

  test("[F77] a package's flow that changes takes its handlers along, as they are", async () => {
    const run = await failed("packed", "say")
    const session = await repairs(run.id, "whole")
    expect(session.files.map(({ path }) => path)).toEqual(["agents/speaker.md", "code/packed/add.ts", "flows/packed.yaml"])
    expect(session).toMatchObject({ status: "ready", valid: true, repair: { proof: { fork: { status: "succeeded" } } } })
    await ask("POST", `/v1/architect/${session.id}/accept`)
    expect((await until(await start("packed"), ended)).status).toBe("succeeded")
  })

  test("[F75] a session that repairs nothing writes no handler", async () => {
    await ask("PUT", "/v1/settings/roles", { planning: "mending/outside" })
    const session = await ask<ArchitectSession>("POST", "/v1/architect", { flow: "sums", change: "add better" }, { prefer: "wait=60" })
    expect(session.files).toEqual([])
  })
})
