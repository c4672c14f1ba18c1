// Signs and verifies the token of an answer link [Q3].

import { signToken } from "./signed-token.ts"
import type { VaultEnv } from "../vault.ts"

/** The purpose in the signature of an answer link. */
export const ANSWER = "interaction"

export const answerToken = (
  env: VaultEnv,
  said: { readonly tenant: string; readonly run: string; readonly interaction: string; readonly allow?: string; readonly key?: string },
  expires: number,
): Promise<string> => signToken(env, ANSWER, said, expires)
