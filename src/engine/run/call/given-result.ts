// Adds results to calls before the guard judges them; the kernel answers each such call with its own. A scripted reply brings results [M3], which are
// treated like a tool's: cut if long, put between delimiters if they are text from outside [G11], and digested for detecting repetition [G9]. In a
// trial the recording has some [V35].

import { canonical } from "../../../core/json.ts"
import type { ScriptedResult } from "../../../core/case/rehearsal.ts"
import { defined } from "../../../core/defined.ts"
import type { GivenResult, ToolCall } from "../../../core/run/event-parts.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { ModelToolCall } from "../../../ports/model.ts"
import type { Tool } from "../../../ports/tool.ts"
import { asOutside } from "./outside-text.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { cutContent, OWN_LIMITS } from "./tool-outcome.ts"

export interface GivenDeps {
  readonly blobs: Blobs
  readonly tools: ReadonlyMap<string, Tool>
  readonly clock: { id(): string }
  hash(text: string): string
}

/** `sent`: the calls as the reply had them, in the same order. */
export async function withResults(deps: GivenDeps, calls: ToolCall[], sent: readonly ModelToolCall[]): Promise<ToolCall[]> {
  if (sent.every(({ result }) => result === undefined)) return calls
  const all: ToolCall[] = []
  for (const [i, call] of calls.entries()) {
    const result = sent[i]?.result
    all.push(result === undefined ? call : { ...call, result: await givenResult(deps, call, result) })
  }
  return all
}

/** [V35] In a trial, what its recording answers. */
export async function withRecorded(
  { recording: read, journal }: Pick<EffectDeps, "recording" | "journal">,
  { recording, plan }: { readonly recording: string | undefined; readonly plan: Plan },
  step: string,
  calls: readonly ToolCall[],
): Promise<readonly ToolCall[]> {
  if (recording === undefined || calls.length === 0) return calls
  const recorded = await read?.(recording)
  return recorded ? recorded.answered({ plan, journal }, step, calls) : calls
}

/** `own`: the step made the call itself, and no model reads the result. */
export async function givenResult(
  deps: GivenDeps,
  call: ToolCall,
  { text, isError, ...marks }: ScriptedResult,
  { own = false }: { readonly own?: boolean } = {},
): Promise<GivenResult> {
  const tool = deps.tools.get(call.name)
  const content = [{ type: "text" as const, text }]
  const keep = (whole: string): Promise<string> => deps.blobs.put(new TextEncoder().encode(whole))
  const cut = await cutContent(content, tool?.truncate ?? "tail", keep, own ? OWN_LIMITS : undefined)
  const isOutside = tool?.untrusted === true || marks.untrusted === true
  return {
    isError,
    ...defined({ truncated: cut.truncated }),
    content: isOutside && !own ? asOutside(cut.content, deps.hash(deps.clock.id()).slice(0, 16), call.name) : [...cut.content],
    digest: deps.hash(canonical([call.name, call.args, content])),
    ...(isOutside ? { untrusted: true } : {}),
    ...defined({ private: marks.private }),
  }
}
