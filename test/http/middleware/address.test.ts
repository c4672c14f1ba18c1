// The addresses that answers hand out [N2]: those under which the instance was asked, whatever the request says about its host.

import { beforeEach, describe, expect, test } from "vitest"
import { ADDRESS_HEADER, readAddress } from "../../../src/core/instance-name.ts"
import { runId, setUp, type Ask } from "../../support/http/ask.ts"

const RUN = runId("a")
let it: ReturnType<typeof setUp>

beforeEach(() => {
  it = setUp()
  it.acme.run(RUN).interactions_ = [
    { id: "i1", run: RUN, kind: "ask_user", status: "pending", step: "a", payload: {}, schema: {}, created: "2026-11-22T09:00:00.000Z" },
  ]
})

/** Everything that hands out an address of this instance. */
async function handedOut(more: Record<string, string> = {}, host = ""): Promise<Record<string, unknown>> {
  const ask = (method: string, path: string, { body, headers = {} }: Ask = {}) =>
    it.ask(method, host + path, { ...(body === undefined ? {} : { body }), headers: { ...more, ...headers } })
  it.acme.mcpStand.secrets.set("s", "a-long-secret-value")
  const link = await ask("POST", `/v1/runs/${RUN}/interactions/i1/link`, { body: {} })
  const question = await ask("POST", "/v1/tools/ask_user", { body: { question: "Go?", type: "confirm" } })
  const tenant = await it.ask("POST", `${host}/v1/tenants`, { key: "key-admin", body: { id: `t${++made}` }, headers: more })
  const document = await ask("GET", "/openapi.json")
  const first = await ask("GET", "/")
  return {
    link: String(link.body["url"]).replace(/\/i\/.*/, "/i/…"),
    self: (question.body["urls"] as { self: string }).self.replace(/q_\d+/, "…"),
    location: question.headers.get("location")?.replace(/q_\d+/, "…"),
    tenant: tenant.headers.get("location")?.replace(/t\d+$/, "…"),
    servers: (document.body["servers"] as { url: string }[]).map(({ url }) => url),
    docs: (first.body["links"] as { docs: string }).docs,
  }
}
let made = 0

const below = (prefix: string, root: string, server = prefix || "/") => ({
  link: `${root}/i/…`,
  self: `${prefix}/v1/interactions/…`,
  location: `${prefix}/v1/interactions/…`,
  tenant: `${prefix}/v1/tenants/…`,
  servers: [server],
  docs: `${prefix}/docs`,
})

describe("addresses", () => {
  test("[N2] in local development the host of the request counts", async () => {
    expect(await handedOut()).toEqual(below("", "http://localhost"))
    expect(await handedOut({ [ADDRESS_HEADER]: "/t/acme" })).toEqual(below("/t/acme", "http://localhost/t/acme"))
  })

  test("[N2] elsewhere it does not: without PUBLIC_URL an address is a path", async () => {
    it.services.environment = "production"
    for (const host of ["https://evil.example", "http://localhost:99"]) {
      expect(await handedOut({ host: "evil.example", "x-forwarded-host": "evil.example" }, host)).toEqual(below("", ""))
      expect(await handedOut({ [ADDRESS_HEADER]: "/t/acme" }, host)).toEqual(below("/t/acme", "/t/acme"))
      // Whoever reaches the instance directly could say this.
      expect(await handedOut({ [ADDRESS_HEADER]: "https://evil.example" }, host)).toEqual(below("", ""))
    }
  })

  test("[N2] PUBLIC_URL counts everywhere, with its path", async () => {
    for (const environment of ["local", "production"]) {
      it.services.environment = environment
      it.services.publicUrl = "https://sluice.example"
      expect(await handedOut({}, "https://evil.example")).toEqual(below("", "https://sluice.example", "https://sluice.example"))
      it.services.publicUrl = "https://example.org/t/acme"
      expect(await handedOut()).toEqual(below("/t/acme", "https://example.org/t/acme", "https://example.org/t/acme"))
      // By its host, the same instance has no prefix.
      expect(await handedOut({ [ADDRESS_HEADER]: "/" })).toEqual(below("", "https://example.org/t/acme", "https://example.org/t/acme"))
    }
  })

  test("[N2] a dispatcher's host counts where only a dispatcher can say it", async () => {
    it.services.environment = "production"
    it.services.isDispatched = true
    expect(await handedOut({ [ADDRESS_HEADER]: "https://acme.example.com" })).toEqual(below("", "https://acme.example.com"))
    expect(await handedOut({ [ADDRESS_HEADER]: "https://example.com/t/acme" })).toEqual(below("/t/acme", "https://example.com/t/acme"))
    expect(await handedOut()).toEqual(below("", ""))
  })

  test("[N2] what no dispatcher writes is no address", () => {
    const wrong = ["", " /t/acme", "/t/acme/", "/t/acme/x", "/t/ACME", "/t/a--b", "/t/..", "//evil", "/x", "javascript://x/t/acme"]
    for (const text of [...wrong, "https://a.example/x", "https://u@a.example", "https://a.example/t/acme?x"]) {
      expect(readAddress(text), text).toBeUndefined()
    }
    expect(readAddress("/")).toEqual({ prefix: "" })
    expect(readAddress("http://localhost:8787/t/acme")).toEqual({ origin: "http://localhost:8787", prefix: "/t/acme" })
  })
})
