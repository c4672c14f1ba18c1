// The end of a run's sandboxes, when one of them does not answer [T20].

import { describe, expect, test } from "vitest"
import type { SandboxNamespace, SandboxStub } from "../../../src/cloudflare/platform/sandbox-stub.ts"
import { RunContainers } from "../../../src/cloudflare/sandbox/containers.ts"
import { MapStorage } from "../../contract/machine.ts"

const silent = (): Promise<never> => Promise.reject(new Error("no machine here"))

function bookOf(destroy: () => Promise<void>): { book: RunContainers; kv: MapStorage } {
  const stub: SandboxStub = { exec: silent, writeFile: silent, readFile: silent, destroy }
  const namespace: SandboxNamespace = {
    idFromName: (name) => ({ name, toString: () => name, equals: (other) => other.toString() === name }),
    get: () => stub,
    jurisdiction: () => namespace,
  }
  const kv = new MapStorage()
  kv.put("sandbox/sluice-one", "clean")
  return { book: new RunContainers({ SANDBOX: namespace }, kv), kv }
}

describe("destroying a sandbox", () => {
  test("[T20] is tried again if the sandbox did not answer, and done once it answered", async () => {
    let asked = 0
    const { book } = bookOf(() => (++asked < 3 ? Promise.reject(new Error("busy")) : Promise.resolve()))
    await expect(book.destroy("acme")).rejects.toThrow("busy")
    await expect(book.destroy("acme")).rejects.toThrow("busy")
    expect(book.any()).toBe(true)
    await book.destroy("acme")
    expect([book.any(), asked]).toEqual([false, 3])
  })

  test("[T20] is tried at most twenty times, and does not keep the run's data any longer", async () => {
    let asked = 0
    const { book, kv } = bookOf(() => (asked++, Promise.reject(new Error("never"))))
    for (let n = 0; n < 20; n++) await expect(book.destroy("acme")).rejects.toThrow("never")
    await book.destroy("acme")
    expect([book.any(), asked]).toEqual([false, 20])
    expect([...kv.list()]).toEqual([])
  })
})
