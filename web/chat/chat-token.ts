// Reads the claims of a chat token [P9]. Anyone may read them; only the server can verify them.

import { defined } from "../../src/core/defined.ts"
import { fields, text } from "./ui-message.ts"

export interface TokenSays {
  readonly flow?: string
  readonly thread?: string
  /** It answers questions. */
  readonly answer: boolean
  /** [V20] It says how good the runs are. */
  readonly feedback: boolean
  /** Milliseconds since 1970. */
  readonly expires?: number
}

/** What a chat's viewer may do with its questions; only a key may raise budgets. */
export type Power = "all" | "answer" | "none"

/** Returns no claims for a text that is not a token. */
export function readChatToken(token: string): TokenSays {
  const said = fields(payloadOf(token))
  const [flow, thread, exp] = [text(said["flow"]), text(said["thread"]), said["exp"]]
  return {
    ...defined({ flow, thread }),
    answer: said["answer"] === "yes",
    feedback: said["feedback"] === "yes",
    ...(typeof exp === "number" ? { expires: exp } : {}),
  }
}

function payloadOf(token: string): unknown {
  try {
    const bytes = atob((token.split(".")[0] ?? "").replaceAll("-", "+").replaceAll("_", "/"))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))))
  } catch {
    return undefined
  }
}
