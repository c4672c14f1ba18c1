// A person's connection of an MCP server [T27]: OAuth 2.1 with PKCE, begun over the API, finished in a browser, kept by the tenant's object.

/** What anyone with the tenant's keys may see of a connection. */
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

/** What the browser brings back: a code, or why there is none. */
export interface SignInReturn {
  readonly state: string
  readonly code?: string
  readonly iss?: string
  readonly error?: string
}

/** How many tools wait for an approval, and are approved. `unlisted`: why its tools are not known, though the server is connected. */
export type ConnectEnded =
  | { readonly ok: true; readonly server: string; readonly waiting: number; readonly approved: number; readonly unlisted?: string }
  | { readonly ok: false; readonly message: string }

/** For the Worker's own objects only: an access token never leaves the Worker but to its server. */
export interface ConnectionTokens {
  /** `rejected`: the server takes this token no more. undefined: a person has to connect the server, or to connect it again. */
  token(server: string, url: string, rejected?: string): Promise<string | undefined>
}
