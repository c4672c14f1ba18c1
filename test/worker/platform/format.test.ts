// Data of another format is refused by every class of objects [J26]: by its number, or because it has none. What is there stays as it is.

import { FORMAT } from "../../../src/engine/version.ts"
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { bounded } from "../../../src/cloudflare/platform/own-calls.ts"
import { numberedKeys } from "../../../src/cloudflare/platform/format.ts"
import { memoryStub, runStub, tenantStub } from "../../../src/cloudflare/platform/stubs.ts"
import { ask, call, flow, start, stub } from "../../support/worker/house.ts"

const EARLIER = `is of an earlier build, without a format number, and Sluice 0.1.0 reads format ${FORMAT} only and carries no data of earlier builds`
const NEW = FORMAT + 1
const NEWER = `is of format ${NEW}, and Sluice 0.1.0 reads format ${FORMAT} only`

const KINDS = [
  ["the run other/RUN", env.RUN, (name: string) => runStub(env, "other", name.slice("other/".length)).remove()],
  ["the tenant TENANT", env.TENANT, (name: string) => tenantStub(env, name).ask("account", "retention", [])],
  ["the memory of TENANT", env.MEMORY, (name: string) => memoryStub(env, name).read("n")],
] as const

/** The object as another build left it. */
async function written(object: DurableObjectStub, write: (storage: DurableObjectStorage) => void): Promise<void> {
  await runInDurableObject(object, (_, { storage }) => write(storage))
  await evictDurableObject(object)
}

const schemaOf = (object: DurableObjectStub): Promise<unknown> =>
  runInDurableObject(object, (_, { storage }) => [
    storage.sql
      .exec("SELECT name, sql FROM sqlite_master ORDER BY name")
      .toArray()
      .filter(({ name }) => !String(name).startsWith("_cf_")),
    [...storage.kv.list()],
  ])

let n = 0
describe.each(KINDS)("%s", (what, namespace, asked) => {
  const name = (): string => (what.includes("RUN") ? `other/run_${n++}` : `other-${n++}`)
  const told = (id: string): string => what.replace("other/RUN", id).replace("TENANT", id)

  test.each([
    [
      "a table without a number",
      EARLIER,
      ({ sql }: DurableObjectStorage) => void sql.exec("CREATE TABLE entry (last INTEGER PRIMARY KEY)"),
    ],
    ["a key without a number", EARLIER, ({ kv }: DurableObjectStorage) => kv.put("held", "{}")],
    ["a newer table", NEWER, ({ sql }: DurableObjectStorage) => void sql.exec(`CREATE TABLE entry (last INTEGER /* format ${NEW} */)`)],
    ["a newer key", NEWER, ({ kv }: DurableObjectStorage) => (kv.put("format", NEW), kv.put("held", "{}"))],
  ])("[J26] with %s is refused", async (_, says, write) => {
    const id = name()
    const object = namespace.get(namespace.idFromName(id))
    await written(object, write)
    await expect(asked(id)).rejects.toThrow(`${told(id)} ${says}`)
  })
})

test("[J26] the list of tenants is refused too", async () => {
  const other = env.DIRECTORY.get(env.DIRECTORY.idFromName("other"))
  await written(other, ({ sql }) => void sql.exec(`CREATE TABLE newer (n INTEGER /* format ${NEW} */)`))
  await expect(bounded(other).find("local")).rejects.toThrow(`the list of tenants ${NEWER}`)
})

test("[J26] a run of another format is 503 with the reason over HTTP, and its alarm changes nothing but rings again", async () => {
  await ask("PUT", "/v1/catalog", { flows: { "w.yaml": flow("w", "  - { id: w, type: wait, signal: go }\n") } })
  const id = await start("w", { rehearse: true })
  await written(stub(id), ({ sql }) => void sql.exec(`CREATE TABLE newer (n INTEGER /* format ${NEW} */)`))
  await runInDurableObject(stub(id), (_, { storage }) => storage.setAlarm(Date.now() + 60_000))
  const refused = await call("GET", `/v1/runs/${id}`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({
    code: "other_format",
    detail: expect.stringMatching(new RegExp(`^The run local/run_\\w+ is of format ${NEW}, .* deploy the build that wrote it`)),
  })
  const before = await schemaOf(stub(id))
  expect(await runDurableObjectAlarm(stub(id))).toBe(true)
  expect(await schemaOf(stub(id))).toEqual(before)
  expect(await runInDurableObject(stub(id), (_, { storage }) => storage.getAlarm())).toBeGreaterThan(Date.now() + 3_000_000)
  // Without the table it is readable again, and does not stand in the list for the tests of other files.
  await written(stub(id), ({ sql }) => void sql.exec("DROP TABLE newer"))
  expect((await call("DELETE", `/v1/runs/${id}`)).status).toBe(204)
})

test("[J26] the number goes with the last key", async () => {
  const left = await runInDurableObject(env.RUN.get(env.RUN.idFromName("other/run_keys")), (_, { storage }) => {
    const kv = numberedKeys(storage.kv, () => true)
    const names = (): string[] => Array.from(storage.kv.list(), ([key]) => key)
    for (const key of ["a", "b"]) kv.put(key, 1)
    return [names(), kv.delete("a") && names(), kv.delete("b") && names()]
  })
  expect(left).toEqual([["a", "b", "format"], ["b", "format"], []])
})

test("[J26] an object has the number from its first write on, in the text of a table or, without tables, under a key", async () => {
  const held = env.RUN.get(env.RUN.idFromName("other/run_key"))
  await runStub(env, "other", "run_key").begin("digest")
  expect(JSON.stringify(await schemaOf(held))).toContain(`/* format ${FORMAT} */`)
  await evictDurableObject(held)
  expect(await runStub(env, "other", "run_key").begin("another")).toEqual({ state: "conflict" })
})
