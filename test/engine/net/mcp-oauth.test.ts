// [T27] OAuth of an MCP server: client credentials, against a real authorization server on loopback.

import { createServer, type Server } from "node:http"
import { afterEach, beforeEach, expect, test } from "vitest"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { FakeMcpServer, listed } from "../../support/engine/fake-mcp-server.ts"

const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
let server: FakeMcpServer
let issuer: Server
let at = ""
/** What the token endpoint received. */
let asked: { authorization: string; body: URLSearchParams }[] = []
let valid = ""

beforeEach(async () => {
  server = await new FakeMcpServer().start()
  server.tools = [listed("x")]
  server.call = () => ({ content: [{ type: "text", text: `your token is ${valid}` }] })
  asked = []
  issuer = createServer((request, response) => {
    void (async () => {
      let body = ""
      for await (const chunk of request) body += String(chunk)
      response.setHeader("content-type", "application/json")
      if (request.url === "/.well-known/oauth-authorization-server") {
        const both = { issuer: at, token_endpoint: `${at}/token`, authorization_endpoint: `${at}/authorize` }
        return response.end(JSON.stringify({ ...both, response_types_supported: ["code"], grant_types_supported: ["client_credentials"] }))
      }
      if (request.url !== "/token") return response.writeHead(404).end("{}")
      asked.push({ authorization: request.headers.authorization ?? "", body: new URLSearchParams(body) })
      valid = `token-number-${asked.length}-${server.port}`
      return response.end(JSON.stringify({ access_token: valid, token_type: "Bearer", expires_in: 3600 }))
    })()
  })
  await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve))
  const address = issuer.address()
  at = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  server.instead = (request, response) => {
    const own = `http://127.0.0.1:${server.port}`
    if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ resource: server.url, authorization_servers: [at] }))
      return true
    }
    if (request.headers.authorization === `Bearer ${valid}` && valid !== "") return false
    const challenge = `Bearer resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`
    response.writeHead(401, { "www-authenticate": challenge }).end()
    return true
  }
})
afterEach(async () => {
  valid = ""
  await server.stop()
  await new Promise((resolve) => issuer.close(resolve))
})

const target = (issuedBy = at) => ({ url: server.url, oauth: { client: "sluice-client", secret: "very-secret-words", issuer: issuedBy } })
const soon = (): AbortSignal => AbortSignal.timeout(20_000)
const call = () => mcpPeer.call(target(), { tool: "x", args: {} }, net, soon())

test("[T27] client credentials: one token of this resource serves all calls, and never appears in an answer", async () => {
  expect(await mcpPeer.list(target(), net, soon())).toMatchObject([{ name: "x" }])
  const answer = await call()
  expect(asked).toHaveLength(1)
  expect(asked[0]?.authorization).toBe(`Basic ${btoa("sluice-client:very-secret-words")}`)
  expect(Object.fromEntries(asked[0]?.body ?? [])).toEqual({ grant_type: "client_credentials", resource: server.url })
  expect(JSON.stringify(answer)).toContain("[secret:mcp token]")
  expect(JSON.stringify(answer)).not.toContain(valid)
})

test("[T27] a token that the server no longer takes is replaced", async () => {
  await call()
  valid = "revoked"
  await call()
  expect(asked).toHaveLength(2)
})

test("[T27] an issuer that the tenant did not name gets no secret", async () => {
  await expect(mcpPeer.list(target("https://issuer.example"), net, soon())).rejects.toMatchObject({ name: "McpFault" })
  expect(asked).toEqual([])
})
