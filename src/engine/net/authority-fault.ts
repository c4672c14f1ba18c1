/** Reports a refusal by an authorization server, or a failure to reach it, with a reason for the tenant. `final`: a retry will not help. */
export class AuthorityFault extends Error {
  readonly kind: "refused" | "failed"
  readonly final: boolean

  constructor(kind: AuthorityFault["kind"], message: string, final = false) {
    super(message)
    this.name = "AuthorityFault"
    this.kind = kind
    this.final = final
  }
}
