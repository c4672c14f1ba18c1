// The door of A2A [P12–P18]: refusals in its own form, over HTTP and JSON-RPC.

import { describe, expect, test } from "vitest"
import { isObject } from "../../../src/core/json.ts"
import { readSending } from "../../../src/http/doors/a2a/message.ts"
import { reasonOf } from "../../support/http/documented-answer.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const V = { "a2a-version": "1.0" }

describe("refusals", () => {
  test("[P13] no key, no version, no task: each by its reason", async () => {
    const { ask } = setUp()
    const path = `/a2a/f/tasks/${runId("x")}`
    const none = await ask("GET", path, { key: null })
    expect([none.status, reasonOf(none.body)]).toEqual([401, "UNAUTHORIZED"])
    const old = await ask("GET", path, { headers: { "a2a-version": "0.3" } })
    expect([old.status, reasonOf(old.body)]).toEqual([400, "VERSION_NOT_SUPPORTED"])
    const missing = await ask("GET", path, { headers: V })
    expect([missing.status, reasonOf(missing.body)]).toEqual([404, "TASK_NOT_FOUND"])
    const malformed = await ask("POST", "/a2a/f/tasks/nope:cancel", { headers: V })
    expect([malformed.status, reasonOf(malformed.body)]).toEqual([404, "TASK_NOT_FOUND"])
  })

  test("[P18] what the protocol names is an error in a 200", async () => {
    const { ask } = setUp()
    const code = async (body: object): Promise<unknown> => {
      const answer = await ask("POST", "/a2a/f", { headers: V, body })
      const { error } = answer.body
      return [answer.status, isObject(error) ? error["code"] : undefined]
    }
    expect(await code({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: runId("x") } })).toEqual([200, -32001])
    expect(await code({ jsonrpc: "2.0", id: 1, method: "Nope", params: {} })).toEqual([200, -32601])
    expect(await code({ jsonrpc: "1.0", id: 1, method: "GetTask" })).toEqual([200, -32600])
  })
})

test("[P13] what is too long is named, and so is each wrong member", () => {
  const said = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] }
  const fieldOf = (message: object, configuration: object = {}): unknown => {
    const read = readSending({ message, configuration })
    return read.ok ? "ok" : read.error.fields?.[0]?.field
  }
  expect(fieldOf(said)).toBe("ok")
  expect(fieldOf({ ...said, messageId: "m".repeat(256) })).toBe("ok")
  expect(fieldOf({ ...said, messageId: "m".repeat(257) })).toBe("message.messageId")
  expect(fieldOf({ ...said, parts: [{ text: "x", data: {} }] })).toBe("message.parts[0]")
  expect(fieldOf({ ...said, parts: [{ text: "x" }, { data: [1] }] })).toBe("message.parts[1].data")
  expect(fieldOf({ ...said, contextId: "ü" })).toBe("message.contextId")
  expect(fieldOf(said, { historyLength: -1 })).toBe("configuration.historyLength")
  expect(fieldOf({ ...said, taskId: "", contextId: "" })).toBe("ok")
})

describe("artifacts", () => {
  async function artifactsOf(sizes: readonly number[]): Promise<readonly unknown[]> {
    const { acme, ask } = setUp()
    const id = runId("files")
    const run = acme.run(id).begin("f")
    for (const [n, size] of sizes.entries()) {
      const path = `out/${n}.bin`
      run.files_.set(path, { entry: { path, size, hash: `h${n}`, modified: 0 }, body: new Uint8Array(size) })
    }
    const { body } = await ask("GET", `/a2a/f/tasks/${id}`, { headers: V })
    return Array.isArray(body["artifacts"]) ? body["artifacts"].filter((one) => isObject(one) && one["artifactId"] !== "answer") : []
  }
  const inside = (artifacts: readonly unknown[]): boolean[] => artifacts.map((one) => JSON.stringify(one).includes('"raw"'))

  test("[P14] files come inside up to 256 KiB, and up to 4 MiB together", async () => {
    expect(inside(await artifactsOf([256 * 1024, 256 * 1024 + 1, 1]))).toEqual([true, false, true])
    const many = inside(await artifactsOf(Array.from({ length: 17 }, () => 256 * 1024)))
    expect([many.filter(Boolean).length, many.at(-1)]).toEqual([16, false])
  })

  test("[P14] at most 100 files are artifacts", async () => {
    expect(await artifactsOf(Array.from({ length: 101 }, () => 1))).toHaveLength(100)
  })
})
