// httpTool: turns a registered HTTP definition into a tool that runs [T26]. The secret is set as a header here and is never part of what is
// expanded, so no template can move it elsewhere. A non-2xx answer fails the tool with the answer's own text.

import { defined } from "../../core/defined.ts"
import { expand, secretHeader, undoDef } from "../../core/tool/http-tool-request.ts"
import { httpSpec } from "../../core/tool/http-tool-spec.ts"
import type { HttpToolDef } from "../../core/tool/tool-def.ts"
import { text, ToolFailure, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { answerText, failure } from "../web/http-answer.ts"

const IDEMPOTENCY = "idempotency-key"
/** [T6] The default for a tool that sets no limit. */
const TIMEOUT = 30_000

export const httpTool = (def: HttpToolDef): Tool => {
  const undo = undoDef(def)
  return { ...requesting(def), ...defined({ undo: undo && requesting(undo) }) }
}

const requesting = (def: HttpToolDef): Tool => ({
  ...httpSpec(def),

  async execute(_callId, params, signal, _onUpdate, powers) {
    const { net } = powers
    if (!net) throw new Error(`${def.name} cannot reach the network from here`)
    const expanded = expand(def, params)
    const key = powers.place?.idempotencyKey
    // A definition that has the header says itself what repeats a request.
    const isSet = Object.keys(expanded.headers).some((name) => name.toLowerCase() === IDEMPOTENCY)
    const request = key === undefined || isSet ? expanded : { ...expanded, headers: { ...expanded.headers, [IDEMPOTENCY]: key } }
    const secretHeaders = def.auth && secretHeader(def.auth, await secretOf(powers, def.auth.scope))
    const answer = await net.fetch({ ...request, timeout: def.timeout ?? TIMEOUT, ...defined({ secretHeaders }) }, signal)
    const details = { status: answer.status, url: answer.url }
    if (answer.status < 200 || answer.status > 299) throw new ToolFailure(text(failure(answer, powers)).content, details, answer.url)
    return { ...text(answerText(answer).whole(), details), source: answer.url }
  },
})

async function secretOf(powers: ToolPowers, scope: string): Promise<string> {
  const secret = await powers.secrets?.get(scope)
  if (secret === undefined) throw new Error(`the secret "${scope}" has no value: nothing was sent`)
  return secret
}
