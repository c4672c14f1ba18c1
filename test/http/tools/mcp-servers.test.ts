import { beforeEach, describe, expect, test } from "vitest"
import { McpFault } from "../../../src/ports/mcp.ts"
import { listed } from "../../support/engine/fake-mcp-server.ts"
import { setUp } from "../../support/http/ask.ts"

const PATH = "/v1/mcp-servers/crm"
const NEW = { url: "https://mcp.example.com/mcp" }
const BODY = { ...NEW, approve: true }
let it: ReturnType<typeof setUp>

beforeEach(() => {
  it = setUp()
  it.acme.mcpStand.listing.answer = () => [listed("find", { annotations: { readOnlyHint: true } })]
})
const put = (body: unknown = BODY, path = PATH) => it.ask("PUT", path, { body })

describe("MCP servers over HTTP", () => {
  test("[T27] registration answers the tools that agents get", async () => {
    const answer = await put({ ...BODY, auth: { scope: "crm" }, approval: "always" })
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ pointer: "/auth/scope" }] } })
    it.acme.mcpStand.secrets.set("crm", "s3cret-value")
    const second = await put({ ...BODY, auth: { scope: "crm" }, approval: "always" })
    expect(second).toMatchObject({
      status: 200,
      body: {
        name: "crm",
        url: NEW.url,
        auth: { scope: "crm" },
        approval: "always",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        tools: [
          { name: "mcp:crm:find", description: "Does find.", effect: "read", parameters: { type: "object" }, tokens: expect.any(Number) },
        ],
      },
    })
    expect(second.text).not.toContain("s3cret")
    expect((await it.ask("GET", PATH)).body).toEqual(second.body)
    expect((await it.ask("GET", "/v1/mcp-servers")).body["data"]).toEqual([second.body])
  })

  test("[T27] without `approve` the first list waits, and the same body sent again changes nothing", async () => {
    const first = await put(NEW)
    expect(first).toMatchObject({ status: 200, body: { tools: [], pending: { added: ["find"], tools: [{ effect: "read" }] } } })
    expect(first.body).not.toHaveProperty("approve")
    expect((await put(NEW)).body).toEqual(first.body)
    expect(it.acme.mcpStand.tools.names()).toEqual([])
    const { hash } = first.body["pending"] as { hash: string }
    expect(await it.ask("POST", `${PATH}/approve`, { body: { hash } })).toMatchObject({ status: 200, body: { hash } })
    expect(it.acme.mcpStand.tools.names()).toEqual(["mcp:crm:find"])
    expect(await put({ ...NEW, approve: "yes" })).toMatchObject({ status: 422, body: { errors: [{ pointer: "/approve" }] } })
  })

  test("[T27] dry=1 says what would wait, beside what is approved, and keeps nothing", async () => {
    const dry = await put(NEW, `${PATH}?dry=1`)
    expect(dry).toMatchObject({
      status: 200,
      body: { name: "crm", tools: [], pending: { added: ["find"], tools: [{ name: "mcp:crm:find" }] } },
    })
    expect(await it.ask("GET", PATH)).toMatchObject({ status: 404 })
    await put()
    it.acme.mcpStand.listing.answer = () => [listed("find", { description: "other" }), listed("send")]
    const again = await put({ ...NEW, allow: ["find"] }, `${PATH}?dry=1`)
    expect(again).toMatchObject({
      status: 200,
      body: { tools: [{ name: "mcp:crm:find" }], pending: { changed: ["find"], added: [] }, left_out: [{ tool: "send" }] },
    })
    expect((await it.ask("GET", PATH)).body).not.toHaveProperty("pending")
    expect((await put(BODY, `${PATH}?dry=maybe`)).status).toBe(422)
    expect(it.acme.mcpStand.tools.names()).toEqual(["mcp:crm:find"])
  })

  test("[T27] a changed list waits for approval by its hash", async () => {
    await put()
    it.acme.mcpStand.listing.answer = () => [listed("find", { description: "other" })]
    const looked = await it.ask("POST", `${PATH}/refresh`)
    expect(looked).toMatchObject({ status: 200, body: { pending: { changed: ["find"], added: [], removed: [] } } })
    const hash = (looked.body["pending"] as { hash: string }).hash
    expect(await it.ask("POST", `${PATH}/approve`, { body: { hash: "0".repeat(64) } })).toMatchObject({
      status: 409,
      body: { code: "not_pending", detail: expect.stringContaining(hash) },
    })
    const approved = await it.ask("POST", `${PATH}/approve`, { body: { hash } })
    expect(approved).toMatchObject({ status: 200, body: { hash } })
    expect(approved.body["pending"]).toBeUndefined()
    expect(await it.ask("POST", `${PATH}/approve`, { body: { hash } })).toMatchObject({ status: 409 })
    expect(await it.ask("POST", `${PATH}/approve`, { body: {} })).toMatchObject({ status: 422 })
  })

  test("[T27] a server that does not list its tools is 502 with the reason; a refused address is 422 with the guard's reason", async () => {
    const fails = (kind: McpFault["kind"], message: string) => () => {
      throw new McpFault(kind, message)
    }
    it.acme.mcpStand.listing.answer = fails("failed", "the MCP server at mcp.example.com answered 500: no")
    expect(await put()).toMatchObject({ status: 502, body: { code: "mcp_unreachable", detail: expect.stringContaining("answered 500") } })
    it.acme.mcpStand.listing.answer = fails("refused", "address refused: 10.0.0.1 is not a public address (private)")
    expect(await put({ url: "http://10.0.0.1/" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/url", message: "address refused: 10.0.0.1 is not a public address (private)" }] },
    })
    expect(await it.ask("GET", PATH)).toMatchObject({ status: 404 })
  })

  test.each([
    [{}, "/url"],
    [{ url: "file:///etc/passwd" }, "/url"],
    [{ url: "no url" }, "/url"],
    [{ ...BODY, command: "npx" }, "/command"],
    [{ ...BODY, approval: { kind: "dynamic", value: "args.amount >" } }, "/approval"],
    [{ ...BODY, approval: "sometimes" }, "/approval"],
    [{ ...BODY, allow: [] }, "/allow"],
    [{ ...BODY, effect: "destroy" }, "/effect"],
    [{ ...BODY, auth: { scope: "a b" } }, "/auth/scope"],
    [{ ...BODY, auth: { scope: "a", header: "mcp-session-id" } }, "/auth/header"],
    [{ ...BODY, auth: { scope: "a", header: "x y" } }, "/auth/header"],
    [{ ...BODY, auth: { scope: "a", scheme: "Bearer x" } }, "/auth/scheme"],
    [{ ...BODY, auth: { scope: "a", client_id: "c" } }, "/auth"],
    [{ ...BODY, auth: { scope: "a", client_id: "c", issuer: "ftp://x.example" } }, "/auth/issuer"],
    [{ ...BODY, auth: { scope: "a", client_id: "c", issuer: "https://x.example", header: "x-key" } }, "/auth"],
    [{ ...BODY, timeout: 10 }, "/timeout"],
  ])("[T27] %j is refused at %s, and no server is asked", async (body, pointer) => {
    const answer = await put(body)
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ pointer }] } })
    expect(it.acme.mcpStand.asked).toEqual([])
  })

  test.each(["a%3Ab", "a%20b", "%D0%B0bc", "a".repeat(64)])("[T27] %s is not a server name", async (name) => {
    expect(await put(BODY, `/v1/mcp-servers/${name}`)).toMatchObject({ status: 422 })
  })

  test("[T27] an unregistered server is 404; unregistering removes its tools", async () => {
    expect(await it.ask("GET", PATH)).toMatchObject({ status: 404 })
    expect(await it.ask("POST", `${PATH}/refresh`)).toMatchObject({ status: 404 })
    expect(await it.ask("POST", `${PATH}/approve`, { body: { hash: "0".repeat(64) } })).toMatchObject({ status: 404 })
    expect(await it.ask("DELETE", PATH)).toMatchObject({ status: 404 })
    for (const word of ["refresh", "approve"])
      expect(await it.ask("POST", `${PATH}/${word}`, { body: { no: 1 } }), word).toMatchObject({ status: 404 })
    await put()
    for (const word of ["refresh", "approve"])
      expect(await it.ask("POST", `${PATH}/${word}`, { body: { no: 1 } }), word).toMatchObject({ status: 422 })
    expect(await it.ask("DELETE", PATH)).toMatchObject({ status: 204 })
    expect(it.acme.mcpStand.tools.names()).toEqual([])
  })

  test("[N1] servers belong to one tenant and need the scope admin", async () => {
    await put()
    expect(await it.ask("GET", PATH, { key: "key-b" })).toMatchObject({ status: 404 })
    expect((await it.ask("GET", "/v1/mcp-servers", { key: "key-b" })).body["data"]).toEqual([])
    it.services.key("key-c", "acme", ["tools:call", "catalog:write", "catalog:read"])
    for (const [method, path] of [
      ["GET", PATH],
      ["PUT", PATH],
      ["DELETE", PATH],
      ["POST", `${PATH}/refresh`],
      ["POST", `${PATH}/approve`],
      ["GET", "/v1/mcp-servers"],
    ] as const)
      expect(await it.ask(method, path, { key: "key-c" })).toMatchObject({ status: 403 })
  })
})
