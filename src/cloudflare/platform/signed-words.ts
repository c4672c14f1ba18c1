// SignedWords of one tenant: tokens that name it, so that another tenant's say nothing here.

import type { SignedWords } from "../../ports/house.ts"
import { clock } from "./clock.ts"
import { readToken, signToken } from "./signed-token.ts"
import { secretOf, type VaultEnv } from "./vault.ts"

/** `own`: the tenant, and when it was made; one made anew under the same id is another. */
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
