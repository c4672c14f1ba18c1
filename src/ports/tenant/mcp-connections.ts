// Defines a person's connection to an MCP server [T27]: OAuth 2.1 with PKCE, begun over the API, finished in a browser, stored by the
// tenant's object.

/** The part of a connection that holders of the tenant's keys may see. */
export interface ConnectionShown {
  /** `needed`: nobody has connected the server yet. `expired`: its authorization server takes the connection no more. */
  readonly status: "needed" | "connected" | "expired"
  readonly issuer?: string
  readonly scope?: string
  /** When a person connected it; ISO 8601. */
  readonly since?: string
}

export interface ConnectAsked {
  /** Where the person's browser comes back to. */
  readonly redirect: string
  /** Signed; it comes back with the browser, and counts once. */
  readonly state: string
  /** Milliseconds. */
  readonly expires: number
}

/** The parameters that the browser brings back: a code, or an error. */
export interface SignInReturn {
  readonly state: string
  readonly code?: string
  readonly iss?: string
  readonly error?: string
}

/** The numbers of approved tools and of tools that wait for approval. `unlisted`: why the tools of the connected server are unknown. */
export type ConnectEnded =
  | { readonly ok: true; readonly server: string; readonly waiting: number; readonly approved: number; readonly unlisted?: string }
  | { readonly ok: false; readonly message: string }

/** Access tokens, for the Worker's own objects only: a token leaves the Worker only to its server. */
export interface ConnectionTokens {
  /** `rejected`: the server takes this token no more. undefined: a person has to connect the server, or to connect it again. */
  token(server: string, url: string, rejected?: string): Promise<string | undefined>
}
