// The port to a tenant's object: what it does when the object was reset or is busy.

import { describe, expect, test } from "vitest"
import { type TenantPortEnv, tenantPort } from "../../../src/cloudflare/clients/tenant-port.ts"

/** A namespace whose objects fail in turn with the given faults, then answer. */
function namespace(...faults: readonly object[]) {
  const seen = { stubs: 0, calls: 0 }
  const left = [...faults]
  const ask = async () => {
    seen.calls++
    const fault = left.shift()
    if (fault) throw Object.assign(new Error("reset"), fault)
    return "answered"
  }
  const stub = () => {
    seen.stubs++
    return { ask }
  }
  const env = { TENANT: { idFromName: (name: string) => name, get: stub } } as unknown as TenantPortEnv
  return { port: tenantPort(env, "acme"), seen }
}

describe("tenantPort", () => {
  test("[F71] every call takes a fresh stub: one from before a reset is dead", async () => {
    const { port, seen } = namespace()
    await port.roles()
    await port.roles()
    expect(seen.stubs).toBe(2)
  })

  test("[F71] a read is asked again, once, when the platform says that it may be", async () => {
    const { port, seen } = namespace({ retryable: true })
    expect(await port.roles()).toBe("answered")
    expect(seen).toEqual({ stubs: 2, calls: 2 })
    const twice = namespace({ retryable: true }, { retryable: true })
    await expect(twice.port.files()).rejects.toThrow("reset")
    expect(twice.seen.calls).toBe(2)
  })

  test.each([{ retryable: false }, { retryable: true, overloaded: true }, {}])("[F71] a fault of %j is not asked again", async (fault) => {
    const { port, seen } = namespace(fault)
    await expect(port.files()).rejects.toThrow("reset")
    expect(seen.calls).toBe(1)
  })

  test("[F71] a write is never repeated: nobody knows whether it was done", async () => {
    for (const write of [
      (p: ReturnType<typeof tenantPort>) => p.put("agent", "agents/a.md", "x"),
      (p: ReturnType<typeof tenantPort>) => p.replace({ agents: {} }),
      (p: ReturnType<typeof tenantPort>) => p.remove("agent", "a"),
      (p: ReturnType<typeof tenantPort>) => p.writeAgent("agents/a.md", "x"),
      (p: ReturnType<typeof tenantPort>) => p.putRoles({}),
    ]) {
      const { port, seen } = namespace({ retryable: true })
      await expect(write(port)).rejects.toThrow("reset")
      expect(seen.calls).toBe(1)
    }
  })
})
