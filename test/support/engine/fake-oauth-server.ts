// An authorization server on loopback for the tests: metadata, registration, a consent that is given at once, PKCE, refresh tokens for one use.
// It refuses what the protocol forbids, and records what it receives.

import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { listed, type FakeMcpServer } from "./fake-mcp-server.ts"

export class FakeOAuthServer {
  /** Changes to the metadata. */
  metadata: Record<string, unknown> = {}
  /** Seconds. */
  lifetime: number | undefined = 3600
  /** Answers the token endpoint instead, when it returns an answer. */
  instead: ((body: URLSearchParams) => { status: number; body: unknown } | undefined) | undefined
  /** The metadata of a protected server is there, whatever `protect` said. */
  told = false
  /** Changes every answer, also the metadata of a protected server. */
  said: (body: Record<string, unknown>, path: string) => unknown = (body) => body
  /** Answers nothing. */
  silent = false
  readonly clients = new Map<string, { readonly redirect: string; readonly secret?: string }>()
  readonly asked: URLSearchParams[] = []
  /** What clients registered with. */
  readonly registrations: unknown[] = []
  /** Access tokens that the resource takes. */
  readonly valid = new Set<string>()
  readonly #codes = new Map<
    string,
    { readonly challenge: string; readonly client: string; readonly redirect: string; readonly resource: string }
  >()
  readonly #refresh = new Set<string>()
  readonly #server: Server
  port = 0
  #n = 0

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const address = this.#server.address()
    if (address !== null && typeof address === "object") this.port = address.port
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The MCP server wants a token of this issuer from now on. `says`: whether its challenge names its metadata, `published`: whether there is any. */
  protect(
    server: FakeMcpServer,
    { says = true, published = says, resource = server.url }: { says?: boolean; published?: boolean; resource?: string } = {},
  ): void {
    server.tools = [listed("x")]
    server.instead = (request, response) => {
      if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
        if (!published && !this.told) {
          response.writeHead(404).end()
          return true
        }
        response.writeHead(200, { "content-type": "application/json" })
        const metadata = { resource, authorization_servers: [this.issuer], scopes_supported: ["tools"] }
        response.end(JSON.stringify(this.said(metadata, request.url)))
        return true
      }
      const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? []
      if (this.valid.has(token)) return false
      const where = says ? ` resource_metadata="http://127.0.0.1:${server.port}/.well-known/oauth-protected-resource/mcp"` : ""
      response.writeHead(401, { "www-authenticate": `Bearer${where === "" ? ' realm="x"' : where}` }).end()
      return true
    }
  }

  /** What the person's browser brings back from the address that `connect` gave. */
  consent(address: string): Record<string, string> {
    const url = new URL(address)
    const get = (name: string): string => url.searchParams.get(name) ?? ""
    if (`${url.origin}${url.pathname}` !== `${this.issuer}/authorize`) throw new Error(`not our page: ${address}`)
    if (get("code_challenge_method") !== "S256" || get("response_type") !== "code") throw new Error("PKCE with S256 is wanted")
    const known = this.clients.get(get("client_id"))
    if (known?.redirect !== get("redirect_uri")) throw new Error("the client may not come back there")
    const code = `code-number-${(this.#n += 1)}`
    this.#codes.set(code, {
      challenge: get("code_challenge"),
      client: get("client_id"),
      redirect: get("redirect_uri"),
      resource: get("resource"),
    })
    return { state: get("state"), code, iss: this.issuer }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ""
    for await (const chunk of request) text += String(chunk)
    const say = (status: number, body: unknown): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(this.said(body as Record<string, unknown>, request.url ?? "")))
    if (this.silent) return
    const at = this.issuer
    switch (request.url) {
      case "/.well-known/oauth-authorization-server":
        return say(200, {
          issuer: at,
          authorization_endpoint: `${at}/authorize`,
          token_endpoint: `${at}/token`,
          registration_endpoint: `${at}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
          authorization_response_iss_parameter_supported: true,
          scopes_supported: ["tools", "offline_access"],
          ...this.metadata,
        })
      case "/register": {
        this.registrations.push(JSON.parse(text))
        const { redirect_uris: redirects, token_endpoint_auth_method: method } = JSON.parse(text) as Record<string, unknown>
        const id = `client-number-${(this.#n += 1)}`
        const secret = method === "none" ? {} : { client_secret: `client-secret-${this.#n}` }
        this.clients.set(id, {
          redirect: Array.isArray(redirects) ? String(redirects[0]) : "",
          ...(secret.client_secret ? { secret: secret.client_secret } : {}),
        })
        return say(201, { ...(JSON.parse(text) as object), client_id: id, ...secret })
      }
      case "/token": {
        const body = new URLSearchParams(text)
        this.asked.push(body)
        const own = this.instead?.(body)
        if (own) return say(own.status, own.body)
        const no = (error: string): void => say(400, { error, error_description: `no: ${text}` })
        if (!this.clients.has(body.get("client_id") ?? "")) return no("invalid_client")
        if (body.get("grant_type") === "refresh_token") {
          if (!this.#refresh.delete(body.get("refresh_token") ?? "")) return no("invalid_grant")
          return say(200, this.#tokens())
        }
        const code = this.#codes.get(body.get("code") ?? "")
        this.#codes.delete(body.get("code") ?? "")
        const challenge = createHash("sha256")
          .update(body.get("code_verifier") ?? "")
          .digest("base64url")
        if (code?.challenge !== challenge || code.redirect !== body.get("redirect_uri") || code.resource !== body.get("resource"))
          return no("invalid_grant")
        return say(200, this.#tokens())
      }
      default:
        return say(404, {})
    }
  }

  #tokens(): Record<string, unknown> {
    const n = (this.#n += 1)
    this.valid.add(`access-token-${n}`)
    this.#refresh.add(`refresh-token-${n}`)
    return {
      access_token: `access-token-${n}`,
      refresh_token: `refresh-token-${n}`,
      token_type: "Bearer",
      scope: "tools",
      ...(this.lifetime === undefined ? {} : { expires_in: this.lifetime }),
    }
  }
}
