/** What an authorization server refuses, or what fails on the way to it; the reason is in words for the tenant. `final`: the server said no, and
 *  asking again will not help. */
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
