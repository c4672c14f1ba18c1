// Authenticates with an MCP server [T27]. OAuth works in two ways: client credentials, where the official client finds the authorization
// server by the protected resource's metadata, requests a token for exactly this resource, and again when the server answers 401; and the
// token of a person's connection (http/tools/mcp-connect.ts), which its store renews. The MCP server names the issuer, so the client's
// secret goes only to the issuer that the tenant named.

import type * as Sdk from "./mcp-library.ts"
import type { AuthProvider, ClientCredentialsProvider } from "@modelcontextprotocol/client"
import { Redactor } from "../../core/secrets/redact.ts"
import type { McpBearer, McpOAuth, McpTarget } from "../../ports/mcp.ts"
import { Lru } from "../lru.ts"
import { perIsolate } from "../../ports/isolate.ts"

const MINUTE = 60_000
/** For a token that does not say how long it is valid; a 401 ends it earlier. */
const DEFAULT_SECONDS = 300

interface Kept {
  readonly tokens: NonNullable<ReturnType<ClientCredentialsProvider["tokens"]>>
  readonly until: number
}

/** While the isolate lives; a forgotten token costs three requests. */
const kept = perIsolate(() => new Lru<Kept>(200))

interface Access {
  readonly provider: ClientCredentialsProvider | AuthProvider
  /** Takes the access tokens out of what a server says. */
  readonly redactor: () => Redactor
}

/** The OAuth access to a target; undefined: the target has no OAuth. */
export function accessOf(sdk: Pick<typeof Sdk, "ClientCredentialsProvider">, target: McpTarget): Access | undefined {
  if (target.connection) return bearer(target.connection)
  return target.oauth && clientCredentials(sdk.ClientCredentialsProvider, target, target.oauth)
}

/** After a 401 the token is renewed once; the official client does not ask a third time. */
function bearer({ token, renewed }: McpBearer): Access {
  const seen = new Set<string>()
  let current: string | undefined
  const taken = (value: string | undefined): string | undefined => {
    if (value !== undefined) seen.add(value)
    return (current = value)
  }
  return {
    provider: {
      token: async () => current ?? taken(await token()),
      async onUnauthorized() {
        if (current === undefined || taken(await renewed(current)) === undefined) throw new Error("there is no token left for the request")
      },
    },
    redactor: () => new Redactor([["mcp token", [...seen]]]),
  }
}

function clientCredentials(Provider: typeof ClientCredentialsProvider, { url }: McpTarget, { client, secret, issuer }: McpOAuth): Access {
  const key = JSON.stringify([url, issuer, client, secret])
  const provider = new Provider({ clientId: client, clientSecret: secret, expectedIssuer: issuer, clientName: "sluice" })
  const seen = new Set<string>()
  const known = kept().get(key)
  if (known && known.until > Date.now()) {
    provider.saveTokens(known.tokens)
    seen.add(known.tokens.access_token)
  }
  const save = provider.saveTokens.bind(provider)
  provider.saveTokens = (tokens) => {
    save(tokens)
    seen.add(tokens.access_token)
    // It is not used in its last minute.
    kept().set(key, { tokens, until: Date.now() + (tokens.expires_in ?? DEFAULT_SECONDS) * 1000 - MINUTE })
  }
  return { provider, redactor: () => new Redactor([["mcp token", [...seen, secret]]]) }
}
