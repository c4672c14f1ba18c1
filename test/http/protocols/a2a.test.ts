// The door of A2A [P12–P18]: refusals in its own form, over HTTP and JSON-RPC.

import { describe, expect, test } from "vitest"
import { isObject } from "../../../src/core/json.ts"
import { readSending } from "../../../src/protocols/a2a/message.ts"
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

  test("[P18] a call that names no task is not valid, whatever its method", async () => {
    const { acme, ask } = setUp()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const task = runId("x")
    acme.run(task).begin("f")
    const said = async (method: string, params: object): Promise<unknown> => {
      const { body } = await ask("POST", "/a2a/f", { headers: V, body: { jsonrpc: "2.0", id: 1, method, params } })
      const error = isObject(body["error"]) ? body["error"] : {}
      return [error["code"], JSON.stringify(error["data"] ?? "").match(/"field":"([^"]+)"/)?.[1]]
    }
    for (const method of ["GetTask", "CancelTask", "SubscribeToTask"])
      for (const params of [{}, { id: 5 }, { id: null }, { id: "" }]) expect(await said(method, params), method).toEqual([-32602, "id"])
    const push = "TaskPushNotificationConfig"
    for (const method of [`Create${push}`, `Get${push}`, `List${push}s`, `Delete${push}`])
      expect(await said(method, { url: "https://p.example" }), method).toEqual([-32602, "taskId"])
    for (const method of [`Get${push}`, `Delete${push}`]) expect(await said(method, { taskId: task }), method).toEqual([-32602, "id"])
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], taskId: 5 }
    expect(await said("SendMessage", { message })).toEqual([-32602, "message.taskId"])
    expect(await said("GetTask", { id: "nope" })).toEqual([-32001, undefined])
  })

  test("[P13] what was sent wrong is an invalid argument", async () => {
    const { acme, ask } = setUp()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const statusOf = async (type: string, body: string): Promise<unknown> => {
      const answer = await ask("POST", "/a2a/f/message:send", { headers: { ...V, "content-type": type }, body })
      return isObject(answer.body["error"]) ? [reasonOf(answer.body), answer.body["error"]["status"]] : answer.body
    }
    expect(await statusOf("application/json", "{")).toEqual(["PARSE_ERROR", "INVALID_ARGUMENT"])
    expect(await statusOf("text/plain", "{}")).toEqual(["CONTENT_TYPE_NOT_SUPPORTED", "INVALID_ARGUMENT"])
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
