// The wrangler configuration of a separate instance [N2]: the project's file with its own storage and nothing shared.

import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { experimental_readRawConfig as readRawConfig } from "wrangler"
import { dispatcherConfig, faultsOf, instanceConfig } from "../../scripts/instance-config.ts"
import { bindingOf, isInstanceName, workerOf } from "../../src/core/instance-name.ts"

const raw = { ...readRawConfig({ config: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)) }).rawConfig }

describe("a separate instance's configuration", () => {
  test("[N2] derives from wrangler.toml: same objects and migrations, another Worker, no storage ids", () => {
    const config = instanceConfig(raw, "acme", { url: "https://acme.example.com" })
    expect(faultsOf(raw)).toEqual([])
    expect(config).toMatchObject({
      name: "sluice-acme",
      main: "modules/index.mjs",
      compatibility_date: raw["compatibility_date"],
      durable_objects: raw["durable_objects"],
      migrations: raw["migrations"],
      kv_namespaces: [{ binding: "CACHE" }],
      r2_buckets: [{ binding: "BLOBS" }],
      assets: { directory: "../../assets", binding: "ASSETS", run_worker_first: true },
      vars: { ENVIRONMENT: "production", PUBLIC_URL: "https://acme.example.com" },
    })
  })

  test("[T21] closes the domain that it shares with other instances", () => {
    const closed = (url: string, vars: object = {}) =>
      (instanceConfig({ ...raw, vars }, "acme", { url })["vars"] as { CLOSED_HOSTS?: string }).CLOSED_HOSTS
    expect(closed("https://acme.example.com")).toBe("example.com")
    expect(closed("https://acme.example.com", { CLOSED_HOSTS: "corp.example.org" })).toBe("corp.example.org,example.com")
    expect(closed("https://agents.example.org")).toBeUndefined()
    expect(closed("https://example.com/t/acme")).toBeUndefined()
  })

  test("[N1, N2] in a jurisdiction its only bucket is there, and the Worker's variables say so", () => {
    const config = instanceConfig(raw, "acme", { jurisdiction: "eu" })
    expect(config).toMatchObject({ r2_buckets: [{ binding: "BLOBS", jurisdiction: "eu" }], vars: { JURISDICTION: "eu" } })
    const both = { ...raw, r2_buckets: [{ binding: "BLOBS" }, { binding: "BLOBS_US", bucket_name: "shared", jurisdiction: "us" }] }
    expect(instanceConfig(both, "acme", { jurisdiction: "eu" })["r2_buckets"]).toEqual([{ binding: "BLOBS", jurisdiction: "eu" }])
    expect(instanceConfig(both, "acme")["r2_buckets"]).toEqual([{ binding: "BLOBS" }, { binding: "BLOBS_US", jurisdiction: "us" }])
    expect(instanceConfig(both, "acme")["vars"]).not.toHaveProperty("JURISDICTION")
  })

  test("[N2] only an instance that nothing but a dispatcher reaches believes what a dispatcher says", () => {
    expect(instanceConfig(raw, "acme", { dispatched: true })["vars"]).toMatchObject({ DISPATCHED: "yes" })
    for (const own of [{}, { dispatched: false }, { url: "https://acme.example.com" }])
      expect(instanceConfig(raw, "acme", own)["vars"]).not.toHaveProperty("DISPATCHED")
  })

  test("[N2] two instances share no resource name, whatever wrangler.toml contains", () => {
    const filled = {
      ...raw,
      kv_namespaces: [{ binding: "CACHE", id: "shared-id" }],
      r2_buckets: [{ binding: "BLOBS", bucket_name: "shared-bucket" }],
      analytics_engine_datasets: [{ binding: "METRICS", dataset: "shared-set" }],
      vars: { ENVIRONMENT: "local" },
    }
    const [acme, globex] = [instanceConfig(filled, "acme"), instanceConfig(filled, "globex")]
    expect(JSON.stringify([acme, globex])).not.toContain("shared")
    expect(acme["name"]).not.toBe(globex["name"])
    expect(acme["analytics_engine_datasets"]).toEqual([{ binding: "METRICS", dataset: "sluice_acme" }])
    // A deployed instance has no local keys [N5].
    expect(acme["vars"]).toEqual({ ENVIRONMENT: "production" })
  })

  test("[N2] a binding that two instances would share is refused by name", () => {
    const shared = {
      ...raw,
      d1_databases: [{ binding: "DATA", database_id: "x" }],
      services: [{ binding: "DISPATCH_SHOP", service: "shop" }],
      durable_objects: { bindings: [{ name: "RUN", class_name: "RunObject", script_name: "sluice" }] },
    }
    expect(faultsOf(shared).map((f) => /"?(\w+)"? (?:names|is another)/.exec(f)?.[1])).toEqual(["d1_databases", "services", "RUN"])
  })
})

describe("the dispatcher's configuration", () => {
  test("[N2] reaches instances by their Workers or by a namespace, and has no storage", () => {
    const config = dispatcherConfig(raw, { domain: "example.com", instances: ["acme", "my-shop"], namespace: "sluice" })
    expect(config).toMatchObject({
      name: "sluice-dispatcher",
      vars: { DOMAIN: "example.com" },
      services: [
        { binding: "INSTANCE_acme", service: "sluice-acme" },
        { binding: "INSTANCE_my_shop", service: "sluice-my-shop" },
      ],
      dispatch_namespaces: [{ binding: "INSTANCES", namespace: "sluice" }],
    })
    for (const key of ["durable_objects", "kv_namespaces", "r2_buckets"]) expect(config).not.toHaveProperty(key)
  })
})

describe("names", () => {
  test.each(["acme", "a1", "my-shop-2", "a".repeat(31)])("[N2] %s is an instance name", (name) => expect(isInstanceName(name)).toBe(true))
  test.each(["", "a", "-a", "a-", "a--b", "A", "1a", "a_b", "a.b", "a/b", "a ", "ä", "dispatcher", "www", "a".repeat(32), "a\n"])(
    "[N2] %j is not an instance name",
    (name) => expect(isInstanceName(name)).toBe(false),
  )
  test("[N2] no two names share a Worker or a binding", () => {
    const some = ["ab", "a-b", "a-b-c", "ab-c", "a-bc"]
    expect(new Set(some.map(workerOf)).size).toBe(some.length)
    expect(new Set(some.map(bindingOf)).size).toBe(some.length)
  })
})
