// OAuth of MCP servers [T27]: client credentials, by the official client, which finds the authorization server by the protected resource's
// metadata, asks for a token of exactly this resource, and asks again when the server answers 401.
//
// The MCP server says who issues tokens, so the client's secret goes only to the issuer that the tenant named.

import type { ClientCredentialsProvider } from "@modelcontextprotocol/client"
import { Redactor } from "../../core/secrets/redact.ts"
import type { McpOAuth, McpTarget } from "../../ports/mcp.ts"
import { Lru } from "../lru.ts"

const MINUTE = 60_000
/** For a token that does not say how long it is valid; a 401 ends it earlier. */
const DEFAULT_SECONDS = 300

interface Kept {
  readonly tokens: NonNullable<ReturnType<ClientCredentialsProvider["tokens"]>>
  readonly until: number
}

/** While the isolate lives; a forgotten token costs three requests. */
const kept = new Lru<Kept>(200)

export interface OAuthWay {
  readonly provider: ClientCredentialsProvider
  /** Takes the access tokens out of what a server says. */
  readonly redactor: () => Redactor
}

export function oauthWay(Provider: typeof ClientCredentialsProvider, { url }: McpTarget, { client, secret, issuer }: McpOAuth): OAuthWay {
  const key = JSON.stringify([url, issuer, client, secret])
  const provider = new Provider({ clientId: client, clientSecret: secret, expectedIssuer: issuer, clientName: "sluice" })
  const seen = new Set<string>()
  const known = kept.get(key)
  if (known && known.until > Date.now()) {
    provider.saveTokens(known.tokens)
    seen.add(known.tokens.access_token)
  }
  const save = provider.saveTokens.bind(provider)
  provider.saveTokens = (tokens) => {
    save(tokens)
    seen.add(tokens.access_token)
    // It is not used in its last minute.
    kept.set(key, { tokens, until: Date.now() + (tokens.expires_in ?? DEFAULT_SECONDS) * 1000 - MINUTE })
  }
  return { provider, redactor: () => new Redactor([["mcp token", [...seen, secret]]]) }
}
