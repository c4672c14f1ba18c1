// Faults in calls of models and in their tries [F33, F35, M1, M5, M6], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const SILENCE = "contract/model-silence.test.ts"
const REFUSALS = "contract/model-refusals.test.ts"
const FAILURES = "core/run/failures.test.ts"

export const MODELS: readonly Mutant[] = [
  {
    name: "F33 spend the tries of an outage in seven seconds",
    file: "core/run/session/retry.ts",
    find: `export const MODEL_TRIES = 8`,
    put: `export const MODEL_TRIES = 4`,
    test: [FAILURES, "[F33] an outage of a minute is survived"],
  },
  {
    name: "F33 wait not at all with unlucky dice",
    file: "core/run/session/retry.ts",
    find: `(backoff(BASE_MS, made - 1) * (1 + dice)) / 2`,
    put: `backoff(BASE_MS, made - 1) * dice`,
    test: [FAILURES, "[F33] the waits double from one second"],
  },
  {
    name: "F35 end a run after a provider's outage despite its step's retry",
    file: "core/run/session/admit-failure.ts",
    find: `f.message, !isTakenUp(run, id, s, f))`,
    put: `f.message, true)`,
    test: [FAILURES, "[F35] a provider that stayed down"],
  },
  {
    name: "M1 wait for a silent model without end",
    file: "models/reply/patience.ts",
    find: `if (this.#silent >= LOOKS) this`,
    put: `if (this.#silent > 1e9) this`,
    test: [SILENCE, "a server that never answers is given up after ten minutes"],
  },
  {
    name: "M1 take every part for something said",
    file: "models/ai-sdk.ts",
    find: `if (received.chars > before) patience.heard()`,
    put: `patience.heard()`,
    test: [SILENCE, "comments, pings and empty pieces are silence"],
  },
  {
    name: "M1 let a call that trickles go on for ever",
    file: "models/reply/patience.ts",
    find: `this.#end(\`its reply took longer than \${said(MAX_CALL_MS)}\`)`,
    put: `undefined`,
    test: [SILENCE, "whoever goes on saying something is not silent"],
  },
  {
    name: "M5 count no bytes of Chat Completions",
    file: "models/chat-caller.ts",
    find: `if (!done) this.#bytes.take(value.byteLength)`,
    put: ``,
    test: [SILENCE, "[M5] a stream of comments has an end in bytes"],
  },
  {
    name: "M5 count no bytes of the other streams",
    file: "models/reply/gathered-deltas.ts",
    find: `bytes.take(came.value.byteLength)`,
    put: ``,
    test: [SILENCE, "[M5] a stream of comments has an end in bytes"],
  },
  {
    name: "M1 read on after the end mark",
    file: "models/reply/stream-marks.ts",
    find: `RESPONSES.test(lines) ? "now" : undefined`,
    put: `undefined`,
    test: [SILENCE, "a reply ends at its end mark"],
  },
  {
    name: "J23 take a setting that a model refuses for too long a request",
    file: "models/reply/overflow.ts",
    find: `return !SETTING.test(words) && WORDS`,
    put: `return WORDS`,
    test: [REFUSALS, "[J23] is not a setting that the model refuses"],
  },
  {
    name: "F33 take half a reply for a whole one",
    file: "models/reply/chat-parts.ts",
    find: `  network_error: "interrupted",\n`,
    put: ``,
    test: [REFUSALS, "[F33] network_error is a reply that broke off"],
  },
  {
    name: "B3 believe any report where nothing limits the run",
    file: "core/run/budget/bill.ts",
    find: `held ?? { tokens: MORE_TOKENS + MORE_TIMES * (call.input + call.output) }`,
    put: `held ?? {}`,
    test: ["core/run/budget/bill.test.ts", "a report of more than a request can hold"],
  },
  {
    name: "M1 forget the silence that a provider may keep",
    file: "cloudflare/tenant/settings/provider-store.ts",
    find: `return { ...(row as Omit<ProviderSettings, "kind">), kind }`,
    put: `const { silenceSeconds: _, ...rest } = row
  return { ...(rest as Omit<ProviderSettings, "kind">), kind }`,
    test: ["cloudflare/tenant/settings/provider-store.test.ts", "[N6] [M1] every member of a provider's settings"],
  },
  {
    name: "N7 believe an internal error of the platform",
    file: "http/middleware/condition.ts",
    find: `if (PLATFORM.test(error.message) && !(await hasRoom())) return FULL`,
    put: ``,
    test: ["cloudflare/worker/readiness.test.ts", "[N7] what the platform does not explain"],
  },
  {
    name: "F21b a branch falls through behind a step that another has run",
    file: "core/run/steps/lanes.ts",
    find: `if (!own(b.target) && hasRun(run, next, routes)) return onward(next, targets)`,
    put: ``,
  },
]
