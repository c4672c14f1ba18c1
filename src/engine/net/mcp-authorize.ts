// Sends a connection's requests to an MCP server's authorization server [T27], with the official client's functions over guardedFetch:
// discovery (RFC 9728, RFC 8414), client registration (RFC 7591), the page for the person (PKCE with S256, RFC 8707), the exchange of its
// code, the renewal. The MCP server names its authorization server, so neither is trusted: the metadata's issuer must be the named one, the
// resource must be this server, and every address is checked before it is used or shown.

import { AuthorityFault } from "./authority-fault.ts"
import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/client"
import { defined } from "../../core/defined.ts"
import { beginning } from "../../core/secrets/beginning.ts"
import { toldChecks } from "../../core/schema/told-checks.ts"
import { Redactor } from "../../core/secrets/redact.ts"
import type { Net } from "../../ports/net.ts"
import { wayOut } from "./mcp-way.ts"
import { lazy } from "../../core/lazy.ts"
import { messageOf } from "../../core/text/fault-text.ts"

export interface Ways {
  readonly net: Net
  /** Why an address may not be shown to a person, or undefined. */
  readonly judge: (url: string) => string | undefined
  readonly signal: AbortSignal
  readonly now: () => number
}

export interface Authority {
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata
  /** What tokens are for: the server, in its own words. */
  readonly resource: string
  readonly scope?: string
}

export interface OAuthClient {
  readonly id: string
  readonly secret?: string
  /** Where a registered client may come back to; absent: the tenant knows the client from elsewhere. */
  readonly redirect?: string
}

export interface Tokens {
  readonly access: string
  readonly refresh?: string
  /** Milliseconds. */
  readonly until?: number
  readonly scope?: string
}

const MAX_MESSAGE = 500 // limit: characters of what an authorization server says about a fault → the rest is cut
const library = lazy(() => import("./mcp-library.ts"))

/** `challenge`: the server's request for a token. `expected`: the only issuer that the tenant accepts. */
export const authorityOf = (ways: Ways, url: string, challenge: string | undefined, expected: string | undefined): Promise<Authority> =>
  asking(ways, url, [], async (sdk, fetchFn) => {
    const said = sdk.extractWWWAuthenticateParams(new Response(null, { headers: defined({ "www-authenticate": challenge }) }))
    const found = await sdk.discoverOAuthServerInfo(url, { fetchFn, ...defined({ resourceMetadataUrl: said.resourceMetadataUrl }) })
    const { authorizationServerMetadata: metadata, resourceMetadata } = found
    if (metadata === undefined) throw new AuthorityFault("failed", `${hostOf(found.authorizationServerUrl)} publishes no OAuth metadata`)
    const here = sdk.resourceUrlFromServerUrl(url)
    const resource = resourceMetadata?.resource ?? here.href
    if (!sdk.checkResourceAllowed({ requestedResource: here, configuredResource: resource }))
      throw new AuthorityFault("failed", `the server gives out tokens for another resource than itself: ${short(resource)}`)
    const issuer = metadata.issuer
    if (expected !== undefined && bare(expected) !== bare(issuer))
      throw new AuthorityFault("failed", `the server names the issuer ${short(issuer)}, and auth.issuer is another one`)
    for (const address of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.registration_endpoint ?? issuer]) {
      const why = ways.judge(address)
      if (why !== undefined) throw new AuthorityFault("refused", `address refused: ${why}`)
    }
    const scope = scopeOf(said.scope ?? resourceMetadata?.scopes_supported?.join(" "), metadata.scopes_supported)
    return { issuer, metadata: JSON.parse(JSON.stringify(metadata)), resource, ...(scope === "" ? {} : { scope }) }
  })

/** A token that can be renewed, where that is a scope of its own. */
function scopeOf(wanted = "", offered: readonly string[] | undefined): string {
  const words = wanted.split(" ").filter((word) => word !== "")
  return offered?.includes("offline_access") && !words.includes("offline_access") ? [...words, "offline_access"].join(" ") : words.join(" ")
}

export const registered = (ways: Ways, { metadata, scope, issuer }: Authority, redirect: string): Promise<OAuthClient> =>
  asking(ways, issuer, [], async (sdk, fetchFn) => {
    if (metadata.registration_endpoint === undefined)
      throw new AuthorityFault(
        "failed",
        `${hostOf(issuer)} does not register clients automatically: register one there, and put its client_id and issuer into auth`,
      )
    const isPublic = metadata.token_endpoint_auth_methods_supported?.includes("none") === true
    const clientMetadata = {
      client_name: "Sluice",
      redirect_uris: [redirect],
      response_types: ["code"],
      ...(isPublic ? { token_endpoint_auth_method: "none" } : {}),
    }
    const made = await sdk.registerClient(issuer, {
      metadata,
      // Adds the grants and the kind of application.
      clientMetadata: sdk.resolveClientMetadata({ clientMetadata, redirectUrl: redirect }),
      ...defined({ scope }),
      fetchFn,
    })
    return { id: made.client_id, redirect, ...defined({ secret: made.client_secret }) }
  })

/** The page for the person. */
export async function opening(
  { issuer, metadata, scope, resource }: Authority,
  client: OAuthClient,
  { redirect, state }: { readonly redirect: string; readonly state: string },
): Promise<{ readonly url: string; readonly verifier: string }> {
  const sdk = await library()
  try {
    const begun = await sdk.startAuthorization(issuer, {
      metadata,
      clientInformation: informationOf(client),
      redirectUrl: redirect,
      state,
      resource,
      ...defined({ scope }),
    })
    return { url: begun.authorizationUrl.href, verifier: begun.codeVerifier }
  } catch (e) {
    throw new AuthorityFault("failed", `${hostOf(issuer)} cannot be used: ${short(toldChecks(messageOf(e)))}`)
  }
}

export const exchanged = (
  ways: Ways,
  { issuer, metadata, resource }: Authority,
  client: OAuthClient,
  {
    code,
    iss,
    verifier,
    redirect,
  }: { readonly code: string; readonly iss: string | undefined; readonly verifier: string; readonly redirect: string },
): Promise<Tokens> =>
  asking(ways, issuer, [code, verifier, client.secret ?? ""], async (sdk, fetchFn) =>
    tokensOf(
      ways.now(),
      await sdk.exchangeAuthorization(issuer, {
        metadata,
        clientInformation: informationOf(client),
        authorizationCode: code,
        ...defined({ iss }),
        codeVerifier: verifier,
        redirectUri: redirect,
        resource,
        fetchFn,
      }),
    ),
  )

export const renewed = (ways: Ways, { issuer, metadata, resource }: Authority, client: OAuthClient, refresh: string): Promise<Tokens> =>
  asking(ways, issuer, [refresh, client.secret ?? ""], async (sdk, fetchFn) =>
    tokensOf(
      ways.now(),
      await sdk.refreshAuthorization(issuer, {
        metadata,
        clientInformation: informationOf(client),
        refreshToken: refresh,
        resource,
        fetchFn,
      }),
    ),
  )

const informationOf = ({ id, secret }: OAuthClient) => ({ client_id: id, ...defined({ client_secret: secret }) })

function tokensOf(now: number, { access_token, refresh_token, expires_in, scope, token_type }: OAuthTokens): Tokens {
  if (token_type.toLowerCase() !== "bearer")
    throw new AuthorityFault("failed", `it gives out tokens of the type ${short(token_type)}, not Bearer`)
  return {
    access: access_token,
    ...defined({ refresh: refresh_token, until: expires_in === undefined ? undefined : now + expires_in * 1000, scope }),
  }
}

type Library = Awaited<ReturnType<typeof library>>
type Fetch = ReturnType<typeof wayOut>["fetch"]

/** Every fault becomes words, without what was sent. */
async function asking<T>(ways: Ways, at: string, sent: readonly string[], work: (sdk: Library, fetchFn: Fetch) => Promise<T>): Promise<T> {
  const sdk = await library()
  // The way's own rules for a server's streams do not apply here.
  const way = wayOut({ url: "" }, ways.net)
  try {
    return await work(sdk, (url, init) => way.fetch(url, { ...init, signal: ways.signal }))
  } catch (e) {
    if (e instanceof AuthorityFault) throw e
    const stopped = way.fault()
    const why = stopped instanceof Error ? stopped.message : messageOf(e)
    const shown = beginning(toldChecks(without(sent, why, why.length)), MAX_MESSAGE)
    if (shown.startsWith("address refused")) throw new AuthorityFault("refused", shown)
    throw new AuthorityFault("failed", `${hostOf(at)}: ${shown}`, sdk.OAuthError.isInstance(e) && FINAL.has(e.code))
  }
}

const FINAL: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client", "access_denied", "invalid_scope"])

/** A server's text without the values that were sent to it. */
export const without = (sent: readonly string[], text: string, most: number): string =>
  beginning(text, most, new Redactor([["oauth", sent.filter((one) => one !== "")]]))
/** Of what a server says before anything was sent to it. */
const short = (text: string): string => beginning(text, MAX_MESSAGE)
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : short(url))
const bare = (issuer: string): string => issuer.replace(/\/$/, "")
