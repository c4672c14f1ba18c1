// Checks the address and the secret of a callback, which its schema cannot [W6].

import type { CallbackBody } from "../../core/project/callback-body.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import type { Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import type { Fault } from "../middleware/problem.ts"

/** `at`: the place of the callback in the body. */
export async function callbackFaults(c: Call, { url, secret }: CallbackBody, at = ""): Promise<Fault[]> {
  const { callbacks, secrets } = c.get("tenant")
  const faults: Fault[] = []
  const judged = judgeCallback(url, outward(c))
  if (!judged.ok) faults.push({ pointer: `${at}/url`, message: `address refused: ${judged.error}` })
  // Any key that reads runs sees addresses, and no key may see secrets.
  else if ((await secrets.redactor()).text(url) !== url)
    faults.push({
      pointer: `${at}/url`,
      message: "must not contain a secret of the vault: the receiver recognizes the sender by the signature",
    })
  const signing = secret === undefined ? "ok" : await callbacks.signing(secret)
  if (signing === "no_scope")
    faults.push({ pointer: `${at}/secret`, message: "is not a scope of the vault: write it first with PUT /v1/secrets/{scope}" })
  if (signing === "no_key")
    faults.push({ pointer: `${at}/secret`, message: "has no value that can sign: Standard Webhooks need `whsec_` and base64" })
  return faults
}
