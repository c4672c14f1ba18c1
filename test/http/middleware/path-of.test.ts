// A slash at the end of a path [H10]: the same route under the same checks, but part of the name where a path ends with a name of its own.

import { describe, expect, test } from "vitest"
import { ROUTES } from "../../../src/http/app.ts"
import { pathForm } from "../../../src/http/middleware/path-form.ts"
import { pathOf } from "../../../src/http/middleware/path-of.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const RUN = runId("r")

function ready() {
  const all = setUp()
  all.acme.run(RUN).begin()
  all.services.runTokens.set("good", { run: RUN, caller: { tenant: "acme", name: "a", scopes: ["runs:read"], keyId: "key_1" } })
  return all
}

describe("a slash at the end of a path", () => {
  test.each([`/v1/runs/${RUN}/`, `/v1/runs/${RUN}/events/`, `/v1/runs/${RUN}/steps/a/tools/`, "/v1/usage/", "/healthz/", "/openapi.json/"])(
    "[H10] %s is the route without it",
    async (path) => {
      const { app } = ready()
      const headers = { authorization: "Bearer key-a" }
      const [with_, without] = [await app.request(path, { headers }), await app.request(path.slice(0, -1), { headers })]
      expect([with_.status, await with_.text()]).toEqual([200, await without.text()])
    },
  )

  test("[H10] key, method, scope and size are checked as without it", async () => {
    const { app, services } = ready()
    services.key("key-w", "acme", ["runs:write"])
    const status = async (method: string, path: string, key = "", body?: string): Promise<number> =>
      (await app.request(path, { method, headers: key === "" ? {} : { authorization: `Bearer ${key}` }, ...(body ? { body } : {}) })).status
    expect(await status("GET", `/v1/runs/${RUN}/`)).toBe(401)
    expect(await status("GET", `/v1/runs/${RUN}/`, "key-w")).toBe(403)
    expect(await status("PUT", `/v1/runs/${RUN}/`, "key-a")).toBe(405)
    expect(await status("PUT", "/v1/agents/a/", "key-a", "x".repeat(1_048_577))).toBe(413)
    expect(await status("POST", "/v1/import/?dry=1", "key-a", "x".repeat(1_048_577))).not.toBe(413)
    expect(await status("PUT", "/v1/tenants/acme/quotas/", "key-a")).toBe(403)
    for (const path of ["/v1/runs//", "//", "/v1//runs", "/v1/no/", "/v1/runs/%2F/"])
      expect([path, await status("GET", path, "key-a")]).toEqual([path, 404])
  })

  test("[H1] a token opens what it names, and no other spelling", async () => {
    const { app } = ready()
    expect((await app.request(`/v1/runs/${RUN}?token=good`)).status).toBe(200)
    expect((await app.request(`/v1/runs/${RUN}/?token=good`)).status).toBe(401)
  })

  test("[H4] a repeated key takes both for one request", async () => {
    const { ask } = ready()
    const sent = { body: {}, headers: { "idempotency-key": "one" } }
    const first = await ask("POST", `/v1/runs/${RUN}/pause`, sent)
    const again = await ask("POST", `/v1/runs/${RUN}/pause/`, sent)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
  })

  test("[H2] where a name may follow, it is an empty name or a part of one, and stays", async () => {
    const { app } = ready()
    for (const path of ["/v1/flows/", "/v1/runs/", "/v1/models/", `/v1/runs/${RUN}/files/`, `/v1/runs/${RUN}/files/docs/`]) {
      const r = await app.request(path, { headers: { authorization: "Bearer key-a" } })
      expect([path, r.status]).toEqual([path, 404])
    }
    const read = pathOf(ROUTES.flatMap(([, path]) => (/[:}]\w*$/.test(path) ? [pathForm(path)] : [])))
    for (const path of [`/v1/runs/${RUN}/files/docs/`, "/v1/objects/a/b/", `/v1/runs/${RUN}/effects/a/1/`, "/console/", "/"])
      expect(read(new Request(`http://localhost${path}?a=/`))).toBe(path)
  })

  test("[P2] [H12] the doors of other protocols take it", async () => {
    const { ask } = ready()
    const pinged = await ask("POST", "/mcp/", { body: { jsonrpc: "2.0", id: 1, method: "ping" }, headers: { accept: "*/*" } })
    expect([pinged.status, pinged.text]).toEqual([200, expect.stringContaining('"result":{}')])
    const asked = await ask("POST", "/v1/chat/completions/", { body: { model: "none", messages: [{ role: "user", content: "hi" }] } })
    expect(asked.body["error"]).toMatchObject({ code: "model_not_found" })
  })
})
