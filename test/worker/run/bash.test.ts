// The shell inside workerd: loaded on demand, over the files of a run and of a named workspace.

import { runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { StagedWorkspace } from "../../../src/engine/run/call/staged-workspace.ts"
import { bash } from "../../../src/tools/shell/bash.ts"

const NO_SKILLS = { names: () => [], files: () => undefined, read: async () => undefined }
const event = (seq: number) => ({ seq, at: seq, v: 1, prev: "0".repeat(64), type: "warning", code: "x", message: "m" }) as const

describe("bash in workerd", () => {
  test("[T20] a pipeline over a run's files: SQL index, R2 bodies, one commit", async () => {
    const answer = await runInDurableObject(env.RUN.get(env.RUN.idFromName("bash/1")), async (_, ctx) => {
      const journal = new SqlJournal(ctx.storage)
      journal.commit({ events: [event(1)], after: 0 })
      const stage = () => new StagedWorkspace({ index: journal, blobs: r2Blobs(env, "bash"), now: () => 2 })
      const call = async (command: string) => {
        const workspace = stage()
        const signal = new AbortController().signal
        const { content } = await bash.execute("c", { command }, signal, undefined, { workspace, skills: NO_SKILLS })
        journal.commit({ events: [event(journal.last() + 1)], after: journal.last(), files: workspace.changes })
        return content.map((part) => (part.type === "text" ? part.text : "")).join("")
      }
      return [
        await call("printf 'b 2\\na 1\\n' > t.txt; mkdir d; cp t.txt d/u.txt; sort t.txt | awk '{ s += $2 } END { print s }'"),
        await call("rm t.txt; gzip d/u.txt; zcat d/u.txt.gz | grep a; jq -n '{a: 1}' -c; echo x | sha256sum | cut -c1-8"),
        await call("find . -type f; curl http://127.0.0.1/; cat /etc/passwd"),
        await call("while :; do :; done"),
      ]
    })
    expect(answer).toEqual([
      "3",
      'a 1\n{"a":1}\n73cb3858',
      "./d/u.txt.gz\n[stderr]\nbash: curl: command not found\ncat: /etc/passwd: No such file or directory\n[exit code 1]",
      "[stderr]\nbash: too many commands executed (>20000)\n[exit code 126]",
    ])
  })
})

describe("without a sandbox", () => {
  test("[T20] [T25] process.* appear only in the list with explanations, and calls to them say why", async () => {
    const headers = { authorization: "Bearer sl_local_dev" }
    const rows = async (query: string) =>
      (
        await (
          await SELF.fetch(`http://sluice/v1/tools?limit=200${query}`, { headers })
        ).json<{ data: { name: string; reason?: string }[] }>()
      ).data.filter(({ name }) => name.startsWith("process."))
    expect(await rows("")).toEqual([])
    const explained = await rows("&explain=1")
    expect(explained.map(({ name }) => name)).toEqual(["start", "status", "output", "kill", "list"].map((name) => `process.${name}`))
    for (const { reason } of explained)
      expect(reason).toMatch(/needs a Sandbox binding \(SANDBOX in wrangler\.toml\), and this deployment has none/)
    expect((await SELF.fetch("http://sluice/v1/tools/process.start", { method: "POST", headers, body: "{}" })).status).toBe(503)
  })
})

describe("named workspaces", () => {
  const call = async (tool: string, args: object, workspace?: string) => {
    const query = workspace === undefined ? "" : `?workspace=${encodeURIComponent(workspace)}`
    const response = await SELF.fetch(`http://sluice/v1/tools/${tool}${query}`, {
      method: "POST",
      headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json" },
      body: JSON.stringify(args),
    })
    const body: { content?: { text: string }[]; isError?: boolean; detail?: string } = await response.json()
    return { status: response.status, text: body.content?.[0]?.text, isError: body.isError === true, detail: body.detail }
  }

  test("[T20] file tools called outside a run use the named workspace", async () => {
    expect(await call("file.write", { path: "@notes/a.md", content: "one" }, "w1")).toMatchObject({
      status: 200,
      text: "created notes/a.md (3 bytes)",
    })
    expect((await call("read", { path: "/notes/a.md" }, "w1")).text).toBe("one")
    expect((await call("bash", { command: "echo two >> notes/a.md; mv notes/a.md b.md; cat b.md", timeout: 300_000 }, "w1")).text).toBe(
      "onetwo",
    )
    expect((await call("file.list", { recursive: true }, "w1")).text).toBe("b.md")
    expect((await call("file.list", {}, "w2")).text).toBe("[the workspace is empty]")
  })

  test("[T20] without a name there is no workspace, and not every text is a valid name", async () => {
    expect(await call("read", { path: "a" })).toMatchObject({ status: 422, detail: expect.stringMatching(/workspace=NAME/) })
    expect((await call("bash", { command: "ls" })).status).toBe(422)
    for (const name of ["", "a/b", "../x", "-", "é", "a".repeat(65)])
      expect([name, (await call("read", { path: "a" }, name)).status]).toEqual([name, 422])
  })

  test.each([
    "x=aaaaaaaaaaaaaaaaaaaaaaaa; for i in 1 2 3; do x=$x$x; done; while :; do [[ $x =~ (a+)+b ]] || y=${x//a/b}; done",
    "while :; do awk 'BEGIN { for (i = 0; i < 100000; i++) n += i }'; done",
    `${Array.from({ length: 24 }, (_, i) => `v${i}='v${i + 1}+v${i + 1}';`).join("")}v24=1; echo $((v0))`,
  ])("[T6] others are answered while a command line computes, and its time limit holds: %s", async (command) => {
    await call("bash", { command: "echo x | sed s/x/y/" }, "w4")
    const timeout = 1_000
    let over = false
    const attack = call("bash", { command, timeout }, "w4").finally(() => (over = true))
    let answered = 0
    while (!over) {
      expect((await call("ls", {}, "w5")).status).toBe(200)
      if (!over) answered++
      // workerd looks at timers only when nothing else is to be done, and a request from here is always something.
      await new Promise((resume) => setTimeout(resume, 5))
    }
    // On a fast machine the library's own count of work comes first.
    expect((await attack).text).toMatch(/^bash timed out after \d+ ms$|work limit exceeded/)
    // On a quiet machine they are answered fifty times. The first of them may have come before the command line had begun.
    expect(answered).toBeGreaterThan(1)
  })

  test("[J11] a call that fails leaves nothing", async () => {
    expect((await call("bash", { command: "echo x > a; sleep 5", timeout: 30 }, "w3")).isError).toBe(true)
    expect((await call("ls", {}, "w3")).text).toBe("[the workspace is empty]")
  })
})
