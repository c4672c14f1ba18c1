// The ports of a tenant's object: what they do if the object was reset or is busy.

import { describe, expect, test } from "vitest"
import { catalogPort } from "../../../src/cloudflare/authoring/catalog.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import type { Env } from "../../../src/cloudflare/platform/env.ts"
import type { TenantRooms } from "../../../src/ports/objects.ts"

/** A namespace whose objects fail in turn with the given faults, then answer. */
function namespace(...faults: readonly object[]) {
  const seen = { stubs: 0, calls: 0 }
  const left = [...faults]
  const asked: (readonly unknown[])[] = []
  const ask = async (...call: readonly unknown[]) => {
    seen.calls++
    asked.push(call)
    const fault = left.shift()
    if (fault) throw Object.assign(new Error("reset"), fault)
    return "answered"
  }
  const stub = () => {
    seen.stubs++
    return { ask }
  }
  const env = { TENANT: { idFromName: (name: string) => name, get: stub } } as unknown as Env
  const room = <Room extends keyof TenantRooms>(name: Room) => portOf(env, "acme", name)
  return { catalog: catalogPort(env, "acme", { by: "ann" }), settings: room("settings"), room, seen, asked }
}

describe("portOf", () => {
  test("[F71] every call takes a fresh stub, because a stub from before a reset is dead", async () => {
    const { settings, seen } = namespace()
    await settings.get("roles")
    await settings.get("roles")
    expect(seen.stubs).toBe(2)
  })

  test("[F71] a read is repeated once if the platform says that it may be", async () => {
    const { settings, seen } = namespace({ retryable: true })
    expect(await settings.get("roles")).toBe("answered")
    expect(seen).toEqual({ stubs: 2, calls: 2 })
    const twice = namespace({ retryable: true }, { retryable: true })
    await expect(twice.catalog.files()).rejects.toThrow("reset")
    expect(twice.seen.calls).toBe(2)
  })

  test.each([{ retryable: false }, { retryable: true, overloaded: true }, {}])(
    "[F71] a call that fails with %j is not repeated",
    async (fault) => {
      const { catalog, seen } = namespace(fault)
      await expect(catalog.files()).rejects.toThrow("reset")
      expect(seen.calls).toBe(1)
    },
  )

  type Tenant = ReturnType<typeof namespace>
  const ONCE: readonly ((t: Tenant) => Promise<unknown>)[] = [
    (t) => t.catalog.put("agent", "agents/a.md", "x"),
    (t) => t.catalog.apply({ mode: "replace", bundle: { agents: {} } }),
    (t) => t.catalog.remove("agent", "a"),
    (t) => t.catalog.writeAgent("agents/a.md", "x"),
    (t) => t.catalog.writeFlow("flows/a.yaml", "x"),
    (t) => t.catalog.rollback(1),
    (t) => t.catalog.putPackage("p", { version: "1" }),
    (t) => t.catalog.removePackage("p"),
    (t) => t.settings.put("roles", {}),
    (t) => t.settings.put("prices", {}),
    (t) => t.settings.removeProvider("p"),
    (t) => t.room("hooks").remove("h"),
    (t) => t.room("hooks").redeliver("h", "d"),
    (t) => t.room("schedules").fire("s"),
    (t) => t.room("questions").find("q"),
    (t) => t.room("plans").move("run", "p", "executing"),
  ]

  test("[F71] a write is never repeated, because no one knows whether it was done", async () => {
    for (const write of ONCE) {
      const tenant = namespace({ retryable: true })
      await expect(write(tenant)).rejects.toThrow("reset")
      expect(tenant.seen.calls).toBe(1)
    }
  })

  test("[H4] a repeated creation sends the same token both times, the caller's own if there is one", async () => {
    const { room, asked } = namespace({ retryable: true })
    const key = { name: "k", scopes: [] }
    await room("keys").create(key)
    const sent = expect.any(Number)
    expect(asked).toEqual([0, 1].map(() => ["keys", "create", [key, expect.stringMatching(/^[0-9a-z]{26}$/), sent]]))
    const tokens = asked.map((call) => Reflect.get(Object(call)[2], 1) as unknown)
    expect(tokens[1]).toBe(tokens[0])
    await room("keys").create(key, "mine")
    expect(asked[2]).toEqual(["keys", "create", [key, "mine", sent]])
  })

  test("[F72] a write to the catalog includes its author", async () => {
    const { catalog, asked } = namespace()
    await catalog.put("agent", "agents/a.md", "x")
    await catalog.rollback(3, 4)
    expect(asked).toEqual([
      ["catalog", "put", ["agent", "agents/a.md", "x", undefined, { by: "ann" }]],
      ["catalog", "rollback", [3, 4, { by: "ann" }]],
    ])
  })
})
