// A run that a delivery promises, requested before it has begun [W3].

import { describe, expect, test } from "vitest"
import { promised } from "../../../src/engine/run/begin/promised-run.ts"
import type { RunPort } from "../../../src/ports/run.ts"

/** A run that exists from the moment that `begin` runs. */
function stand(there: { now: boolean }) {
  const asked: string[] = []
  const answer = (name: string) => async (): Promise<unknown> => {
    asked.push(name)
    if (there.now) return name === "remove" ? true : { is: name }
    return name === "remove" ? false : name === "signal" ? "not_found" : undefined
  }
  const port = new Proxy(
    {},
    {
      ownKeys: () => NAMES,
      getOwnPropertyDescriptor: (_, name) => ({ ...OPEN, value: answer(String(name)) }),
      get: (_, name) => answer(String(name)),
    },
  )
  return { asked, port: port as RunPort }
}
const OPEN = { configurable: true, enumerable: true }
const NAMES = [
  "view",
  "wait",
  "events",
  "stream",
  "socket",
  "frames",
  "cancel",
  "pause",
  "resume",
  "remove",
  "interactions",
  "signal",
  "files",
  "messages",
  "stepTools",
] as const

const call = (port: RunPort, name: (typeof NAMES)[number]): Promise<unknown> => Reflect.apply(Reflect.get(port, name), port, [0, {}])

describe("a run that is promised", () => {
  test.each(NAMES)("[W3] %s: a run that is missing is begun, and the request is repeated", async (name) => {
    const there = { now: false }
    const { asked, port } = stand(there)
    const begun = promised(port, async () => {
      asked.push("begin")
      there.now = true
      return false
    })
    expect(await call(begun, name)).toEqual(name === "remove" ? true : { is: name })
    expect(asked).toEqual([name, "begin", name])
  })

  test("[W3] a run that begins between the two requests is found, even if nothing waits for its start", async () => {
    const there = { now: false }
    const { port } = stand(there)
    const view = port.view
    const once = { ...port, view: () => view().finally(() => (there.now = true)) }
    expect(await promised(once, async () => false).view()).toEqual({ is: "view" })
  })

  test("[W3] an existing run gets one request; a run that no delivery promised stays unknown", async () => {
    const { asked, port } = stand({ now: true })
    await promised(port, () => Promise.reject(new Error("nobody asks"))).view()
    expect(asked).toEqual(["view"])
    const none = stand({ now: false })
    expect(await promised(none.port, async () => false).view()).toBeUndefined()
    expect(none.asked).toEqual(["view", "view"])
  })

  test.each(NAMES)("[W3] %s: a run that still waits for its start is not unknown: the caller is told to ask again", async (name) => {
    const { port } = stand({ now: false })
    const late = promised(port, async () => true)
    await expect(call(late, name)).rejects.toMatchObject({ name: "NotBegunError" })
  })

  test("[W3] a run that begins although its start took long is answered", async () => {
    const there = { now: false }
    const late = promised(stand(there).port, async () => (there.now = true))
    expect(await late.view()).toEqual({ is: "view" })
  })
})
