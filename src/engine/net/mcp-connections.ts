// Begins, finishes, renews and deletes the connections of a tenant's MCP servers [T27]. Operations on a server run one at a time, so a
// token is renewed once however many runs need it, and a single-use refresh token is used only once. A connection belongs to an address:
// its token is sent nowhere else. A state is valid once, for ten minutes, for this server of this tenant.

import { defined } from "../../core/defined.ts"
import type { McpAuth } from "../../core/tool/tool-def.ts"
import type { ConnectAsked, ConnectionShown, ConnectionTokens, SignInReturn } from "../../ports/tenant/mcp-connections.ts"
import { inTurn, type InTurn } from "../in-turn.ts"
import { Lru } from "../lru.ts"
import { sha256 } from "../sha256.ts"
import { lazy } from "../../core/lazy.ts"
import { AuthorityFault } from "./authority-fault.ts"
import type { Authority, OAuthClient, Tokens, Ways } from "./mcp-authorize.ts"
import { signalAfter } from "../../ports/timers.ts"

/** Loaded with the first connection: most tenants have none. */
const oauth = lazy(() => import("./mcp-authorize.ts"))

/** Everything about a connection; all of it is sealed. */
export interface Connection {
  readonly url: string
  readonly status: ConnectionShown["status"]
  readonly since?: number
  /** The list that the server shows once it is connected is approved unseen, as a PUT said. */
  readonly approve?: true
  readonly authority?: Authority
  readonly client?: OAuthClient
  readonly tokens?: Tokens
  /** What the browser will bring back. */
  readonly attempt?: {
    /** SHA-256 of the state. */
    readonly state: string
    readonly expires: number
    readonly verifier: string
    readonly redirect: string
    readonly authority: Authority
    readonly client: OAuthClient
  }
}

export interface ConnectionStore {
  shown(name: string): ConnectionShown | undefined
  open(name: string): Promise<Connection | undefined>
  put(name: string, connection: Connection): Promise<void>
  remove(name: string): void
}

export interface ConnectionsDeps {
  readonly store: ConnectionStore
  readonly ways: Omit<Ways, "signal" | "now">
  /** The newest value of a scope of the vault. */
  readonly secret: (scope: string) => Promise<string | undefined>
  readonly now: () => number
  /** Time limit for one conversation with an authorization server, in milliseconds; default 20 s. */
  readonly patience?: number
}

const PATIENCE = 20_000 // limit: milliseconds of a conversation with an authorization server → `mcp_unreachable`
const SHOWN_ERROR = 100
/** A token is renewed in its last minute. */
const AHEAD_MS = 60_000

export interface Connections extends ConnectionTokens {
  shown(name: string): ConnectionShown | undefined
  /** The server is registered under this address and has to be connected; another address forgets what there was. */
  expect(name: string, url: string, approve: boolean): Promise<void>
  forget(name: string): Promise<void>
  /** Throws an AuthorityFault. */
  begin(
    server: { readonly name: string; readonly url: string; readonly auth: McpAuth },
    asked: ConnectAsked,
    challenge?: string,
  ): Promise<string>
  /** Throws an AuthorityFault. `approve`: see Connection. */
  finish(name: string, returned: SignInReturn): Promise<{ readonly approve: boolean }>
}

export function mcpConnections({ store, ways, secret, now, patience = PATIENCE }: ConnectionsDeps): Connections {
  const turns = new Lru<InTurn>(200)
  const alone = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(name) ?? inTurn()
    turns.set(name, turn)
    return turn(work)
  }
  const within = (): Ways => ({ ...ways, now, signal: signalAfter(patience) })

  const renew = async (name: string, found: Connection, tokens: Tokens): Promise<string | undefined> => {
    const { authority, client } = found
    const { refresh } = tokens
    try {
      if (refresh === undefined || !authority || !client) throw new AuthorityFault("failed", "there is nothing to renew it with", true)
      const fresh = await (await oauth()).renewed(within(), authority, client, refresh)
      await store.put(name, { ...found, status: "connected", tokens: { refresh, ...fresh } })
      return fresh.access
    } catch (e) {
      if (!(e instanceof AuthorityFault) || !e.final) throw e
      // The next one registers a client anew: this one may be what it refuses.
      const { tokens: _gone, client: _too, ...rest } = found
      await store.put(name, { ...rest, status: "expired" })
      return undefined
    }
  }

  return {
    shown: (name) => store.shown(name),

    expect: (name, url, approve) =>
      alone(name, async () => {
        const found = await store.open(name)
        const kept = found?.url === url ? found : { url, status: "needed" as const }
        const { approve: _before, ...rest } = kept
        await store.put(name, { ...rest, ...(approve && kept.status !== "connected" ? { approve: true } : {}) })
      }),

    forget: (name) => alone(name, async () => store.remove(name)),

    begin: ({ name, url, auth }, { redirect, state, expires }, challenge) =>
      alone(name, async () => {
        const found = (await store.open(name)) ?? { url, status: "needed" as const }
        const { authorityOf, opening } = await oauth()
        const authority = await authorityOf(within(), url, challenge, auth.issuer)
        const client = await clientFor(found, authority, auth, redirect)
        const { url: page, verifier } = await opening(authority, client, { redirect, state })
        const attempt = { state: await sha256(state), expires, verifier, redirect, authority, client }
        await store.put(name, { ...found, url, attempt })
        return page
      }),

    finish: (name, { state, code, iss, error }) =>
      alone(name, async () => {
        const found = await store.open(name)
        const attempt = found?.attempt
        if (!found || !attempt || attempt.state !== (await sha256(state)) || attempt.expires <= now())
          throw new AuthorityFault("failed", "this connection was not asked for, was finished already, or is older than ten minutes")
        const { attempt: _used, approve, ...rest } = found
        // It counts once, whatever comes of it.
        await store.put(name, { ...rest, ...defined({ approve }) })
        const { authority, client, verifier, redirect } = attempt
        const { exchanged, without } = await oauth()
        const why = error === undefined ? "" : ` (${without([verifier, client.secret ?? ""], error, SHOWN_ERROR)})`
        if (code === undefined) throw new AuthorityFault("failed", `the authorization server gave no permission${why}`)
        const tokens = await exchanged(within(), authority, client, { code, iss, verifier, redirect })
        await store.put(name, { ...rest, status: "connected", since: now(), authority, client, tokens })
        return { approve: approve === true }
      }),

    token: (name, url, rejected) =>
      alone(name, async () => {
        const found = await store.open(name)
        const tokens = found?.url === url ? found.tokens : undefined
        if (!found || !tokens) return undefined
        if (rejected !== undefined) return tokens.access === rejected ? renew(name, found, tokens) : tokens.access
        const left = (tokens.until ?? Infinity) - now()
        if (left > AHEAD_MS) return tokens.access
        if (tokens.refresh === undefined && left > 0) return tokens.access
        return renew(name, found, tokens).catch((e: unknown) => {
          if (left > 0) return tokens.access
          throw e
        })
      }),
  }

  async function clientFor(found: Connection, authority: Authority, auth: McpAuth, redirect: string): Promise<OAuthClient> {
    if (auth.client_id !== undefined) {
      const value = auth.scope === undefined ? undefined : await secret(auth.scope)
      if (auth.scope !== undefined && value === undefined)
        throw new AuthorityFault("refused", `the vault has no value for the scope ${auth.scope}, which has the client's secret`)
      return { id: auth.client_id, ...defined({ secret: value }) }
    }
    const known = [found, found.attempt].find((one) => one?.authority?.issuer === authority.issuer && one.client?.redirect === redirect)
    return known?.client ?? (await oauth()).registered(within(), authority, redirect)
  }
}

/** The secrets of a connection for the redactor, the access token first. */
export const secretsOf = ({ tokens, client, attempt }: Connection): readonly string[] =>
  [tokens?.access, tokens?.refresh, client?.secret, attempt?.client.secret, attempt?.verifier].filter((value) => value !== undefined)
