// Defines the models of a tenant as a held write leaves them [V40]: which providers there are, and what the roles stand for.

export interface HeldModels {
  readonly providers: readonly string[]
  readonly roles: Readonly<Record<string, string | readonly string[]>>
}
