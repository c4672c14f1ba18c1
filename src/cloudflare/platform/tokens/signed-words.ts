// Implements SignedWords for one tenant: each token contains the tenant, so a token of another tenant is invalid here.

import type { SignedWords } from "../../../ports/services.ts"
import { clock } from "../clock.ts"
import { readToken, signToken } from "./signed-token.ts"
import { secretOf, type VaultEnv } from "../vault.ts"

/** `own`: the tenant and when it was created, so a new tenant under the same id does not accept the tokens of the old one. */
export const signedWords = (env: VaultEnv, own: string): SignedWords => ({
  async sign(purpose, said, ms) {
    if (secretOf(env) === undefined) return undefined
    return signToken(env, purpose, { ...said, tenant: own }, clock.now() + ms)
  },
  async read(purpose, token) {
    const said = await readToken(env, purpose, token, clock.now())
    return said?.["tenant"] === own ? said : undefined
  },
})
