// Closed hosts [T21]: metadata services, names of private networks, and the instance's own zone, in every spelling and through every door.

import ipaddr from "ipaddr.js"
import { describe, expect, test } from "vitest"
import { closedName, METADATA_ADDRESSES } from "../../../src/core/tool/policy/closed-hosts.ts"
import { judgeAddress, zonesOf } from "../../../src/engine/net/address-guard.ts"
import { judgeCallback } from "../../../src/engine/net/callback-address.ts"
import { addressJudge, guardedFetch, wayOf } from "../../../src/engine/net/guarded-fetch.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { faultOfBaseUrl } from "../../../src/engine/net/provider-address.ts"
import { checkBaseUrl } from "../../../src/models/base-url.ts"

const ENV = { ENVIRONMENT: "production", PUBLIC_URL: "https://acme.sluice.example/", CLOSED_HOSTS: "sluice.example, other.example" }
const zones = zonesOf(ENV)
const way = wayOf(ENV)

/** Every door that dials out or stores an address to dial: does it let the host pass? */
const doors: Readonly<Record<string, (host: string) => boolean>> = {
  guard: (host) => judgeAddress(`https://${host}/`, { allowPrivate: [], ...zones }).ok,
  browser: (host) => addressJudge(way)(`https://${host}/x`) === undefined,
  callback: (host) => judgeCallback(`https://${host}/hook`, { allowPrivate: [], ...zones }).ok,
  "a provider's setting": (host) => faultOfBaseUrl(`https://${host}/v1`, false, zones) === undefined,
  "a provider's call": (host) => checkBaseUrl(`https://${host}/v1`, "production", zones) === undefined,
}

const NAMES = [
  "metadata.google.internal",
  "metadata.tencentyun.com",
  "api.metadata.cloud.ibm.com",
  "x.internal",
  "host.docker.internal",
  "kubernetes.default.svc",
  "api.team.svc",
  "kubernetes.default.svc.cluster.local",
  "db.team.kube-system",
  "kubernetes.default",
  "vault.service.consul",
  "printer.local",
  "x.localhost",
  "x.home.arpa",
  "ipv4only.arpa",
  "router.lan",
  "wiki.intranet",
  "git.corp",
  "nas.home",
  "x.onion",
  "x.test",
  "x.invalid",
  "x.alt",
  "x.openstacklocal",
  "x.localdomain",
  "10-0-0-1.nip.io",
  "sluice.me.workers.dev",
  "workers.dev",
  "acme.sluice.example",
  "x.acme.sluice.example",
  "globex.sluice.example",
  "sluice.example",
  "other.example",
]
const PUBLIC = [
  "example.com",
  "api.example.org",
  "workers.dev.example.com",
  "notworkers.dev",
  "mysluice.example",
  "internal.example.com",
  "xn--bcher-kva.example",
]
const spellings = (host: string): string[] => [host, host.toUpperCase(), `${host}.`, host.replaceAll(".", "。")]

describe.each(Object.entries(doors))("%s", (_, passes) => {
  test("[T21] every closed name is refused, in every spelling and with names below it", () => {
    const open = NAMES.flatMap((host) => [...spellings(host), `a.b.${host}`]).filter(passes)
    expect(open).toEqual([])
  })
  test("[T21] every metadata address is refused", () => {
    const open = METADATA_ADDRESSES.map(({ place }) => ipaddr.parseCIDR(place)[0])
      .map((address) => (address.kind() === "ipv6" ? `[${address.toString()}]` : address.toString()))
      .filter(passes)
    expect(open).toEqual([])
  })
  test("[T21] public names pass", () => expect(PUBLIC.filter((host) => !passes(host))).toEqual([]))
})

describe("the list", () => {
  test("[T21] Azure's public address is refused in every form, and its neighbors are not", () => {
    for (const host of ["168.63.129.16", "0xa83f8110", "2822734096", "0250.077.0201.020", "168.63.33040", "168.63.129.16."])
      expect(judgeAddress(`http://${host}/`, { allowPrivate: [] }).ok, host).toBe(false)
    for (const host of ["168.63.129.15", "168.63.129.17", "161.25.255.255", "161.27.0.0", "166.7.255.255", "166.12.0.0"])
      expect(judgeAddress(`http://${host}/`, { allowPrivate: [] }).ok, host).toBe(true)
    for (const host of ["161.26.0.10", "166.9.14.2", "[::ffff:168.63.129.16]", "[64:ff9b::a83f:8110]", "[2002:a83f:8110::1]"])
      expect(judgeAddress(`http://${host}/`, { allowPrivate: [] }).ok, host).toBe(false)
  })
  test("[T21] each metadata address names the cloud that it belongs to", () => {
    for (const { place, source } of METADATA_ADDRESSES) expect([ipaddr.isValidCIDR(place), source.length > 5], place).toEqual([true, true])
  })
})

describe("the own zone", () => {
  test("[T21] is PUBLIC_URL's host, what the operator closes, and the address that a caller used, unless that is local", () => {
    expect(zones.own).toEqual(["acme.sluice.example", "sluice.example", "other.example"])
    expect(zonesOf({ ENVIRONMENT: "production" }, "https://here.example.com:8443").own).toEqual(["here.example.com"])
    expect(zonesOf({ ENVIRONMENT: "local", PUBLIC_URL: "http://localhost:8787" }, "https://here.example.com").own).toEqual([])
    expect(zonesOf({ ENVIRONMENT: "local", PUBLIC_URL: "https://tunnel.example.com" }).own).toEqual(["tunnel.example.com"])
    expect(zonesOf({ ENVIRONMENT: "production", PUBLIC_URL: "not a url" }).own).toEqual([])
    expect(zonesOf({ ENVIRONMENT: "production", PUBLIC_URL: "https://s.me.workers.dev" }).own).toEqual(["s.me.workers.dev"])
  })

  test("[T21] the operator opens hosts by name, and opening workers.dev does not open the instance itself", () => {
    const judged = (OPEN_HOSTS: string, host: string) =>
      judgeAddress(`https://${host}/`, { allowPrivate: [], ...zonesOf({ ...ENV, PUBLIC_URL: "https://s.me.workers.dev", OPEN_HOSTS }) }).ok
    expect(judged("ai.me.workers.dev", "ai.me.workers.dev")).toBe(true)
    expect(judged("ai.me.workers.dev", "s.me.workers.dev")).toBe(false)
    expect(judged("WORKERS.dev.", "ai.you.workers.dev")).toBe(true)
    expect(judged("workers.dev", "s.me.workers.dev")).toBe(false)
    expect(judged("s.me.workers.dev", "s.me.workers.dev")).toBe(true)
    expect(judged("api.sluice.example", "api.sluice.example")).toBe(true)
    expect(judged("api.sluice.example", "x.sluice.example")).toBe(false)
    for (const host of ["x.internal", "169.254.169.254", "168.63.129.16", "localhost"]) expect(judged(host, host)).toBe(false)
  })

  test("[T21, N5] a refusal names the variable that opens the host", () => {
    expect(closedName("x.workers.dev")).toContain("OPEN_HOSTS")
    expect(faultOfBaseUrl("https://ai.me.workers.dev/v1", false)).toContain("OPEN_HOSTS")
    expect(checkBaseUrl("https://ai.me.workers.dev/v1", "production")).toContain("OPEN_HOSTS")
    expect(checkBaseUrl("https://ai.me.workers.dev/v1", "local")).toContain("OPEN_HOSTS")
    expect(faultOfBaseUrl("https://ai.me.workers.dev/v1", false, { open: ["ai.me.workers.dev"] })).toBeUndefined()
    expect(checkBaseUrl("https://ai.me.workers.dev/v1", "production", { open: ["ai.me.workers.dev"] })).toBeUndefined()
  })

  test("[T21] no redirect leads there", async () => {
    const asked: string[] = []
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url)
      return new Response(null, { status: 302, headers: { location: new URL(url).searchParams.get("to") ?? "" } })
    }
    for (const host of NAMES)
      await expect(guardedFetch({ url: `https://a.example.com/?to=https://${host}/` }, { ...way, fetch })).rejects.toThrow(
        /^address refused: /,
      )
    for (const host of NAMES)
      await expect(netOf({ ...way, fetch }).fetch({ url: `https://${host}/` }, AbortSignal.timeout(5_000))).rejects.toThrow(
        /^address refused: /,
      )
    expect(new Set(asked.map((url) => new URL(url).hostname))).toEqual(new Set(["a.example.com"]))
  })

  test("[T21] an exempt host of local development stays exempt", () => {
    const local = { ENVIRONMENT: "local", ALLOWED_PRIVATE_HOSTS: "localhost:9000,box.internal", PUBLIC_URL: "http://localhost:8787" }
    const judge = addressJudge(wayOf(local))
    expect([judge("http://localhost:9000/"), judge("http://box.internal:1/"), judge("http://localhost/")]).toEqual([
      undefined,
      undefined,
      expect.stringContaining("private network"),
    ])
  })
})

test("[N5] a local server says what allows a private host or port; no other server does", () => {
  const said = (url: string, ENVIRONMENT: string): string | undefined => addressJudge(wayOf({ ENVIRONMENT }))(url)
  expect(said("http://127.0.0.1:9112/x", "local")).toMatch(
    /not allowed.*; on this local server ALLOWED_PRIVATE_HOSTS=127\.0\.0\.1:9112 allows it/,
  )
  expect(said("http://127.0.0.1:9112/x", "production")).toBe("port 9112 is not allowed: use 80, 443, 8080 or 8443")
  expect(said("ftp://127.0.0.1/", "local")).toBe("ftp: is not allowed: use http: or https:")
})
