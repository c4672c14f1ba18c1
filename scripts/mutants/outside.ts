// Faults in how texts from outside are cut, searched and set out [T32, N4], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const CUT = "engine/run/call/cut-secrets.test.ts"
const SHOWN = "core/secrets/beginning.test.ts"
const DIGITS = "core/outside/exact-json.test.ts"
const WORK = "core/secrets/redact-work.test.ts"

const ENCODED = "http/middleware/body.test.ts"

export const OUTSIDE: readonly Mutant[] = [
  {
    name: "H3 let routes read what is encoded",
    file: "http/middleware/door.ts",
    find: `const encoded = route.plainBody ? encodedBody(c) : undefined`,
    put: `const encoded = undefined as ReturnType<typeof encodedBody>`,
    test: [ENCODED, "[H3] POST /v1/hooks refuses zstd"],
  },
  {
    name: "H3 start a run from an encoded delivery",
    file: "http/triggers/hook-in.ts",
    find: `const encoded = encodedBody(c)`,
    put: `const encoded = undefined as ReturnType<typeof encodedBody>`,
    test: [ENCODED, "it starts nothing, and the deliveries say why"],
  },
  {
    name: "T32 show a delivery's reason as it is",
    file: "http/triggers/hooks.ts",
    find: `reason === null ? null : redactor.text(reason)`,
    put: `reason`,
    test: ["http/triggers/hooks.test.ts", "[W3] lists deliveries"],
  },
  {
    name: "H3 round the ids of a delivery",
    file: "http/triggers/hook-body.ts",
    find: `return ok(exactJson(text) as Json)`,
    put: `return ok(JSON.parse(text) as Json)`,
    test: [DIGITS, "[W2] keeps the digits for dedupe, filter, task and inputs"],
  },
  {
    name: "H3 round the ids in a model's arguments",
    file: "core/run/session/calls.ts",
    find: `value = exactJson(text)`,
    put: `value = JSON.parse(text)`,
    test: [DIGITS, "[G6] a text gets every digit"],
  },
  {
    name: "H3 round the ids of a start",
    file: "http/middleware/body.ts",
    find: `content === "values" ? exactJson(text) : JSON.parse(text)`,
    put: `JSON.parse(text)`,
    test: ["http/middleware/door.test.ts", "[H3] a whole number that a number would change keeps its digits"],
  },
  {
    name: "H3 compare long numbers by the nearest number",
    file: "core/policy/condition.ts",
    find: `return whole === undefined && typeof literal !== "bigint" ?`,
    put: `if (whole !== undefined || typeof literal === "bigint") return [Number(whole ?? found), Number(literal)]
  return whole === undefined && typeof literal !== "bigint" ?`,
    test: [DIGITS, "[W2] keeps the digits for dedupe, filter, task and inputs"],
  },
  {
    name: "T32 cut first, then look for secrets",
    file: "core/secrets/beginning.ts",
    find: `const { clean, isWhole } = read(text, most, redactors)`,
    put: `const { clean, isWhole } = read(text.slice(0, most + 1), most + 1, redactors)`,
    test: [SHOWN, "wherever a text is cut"],
  },
  {
    name: "T32 show what is not decided",
    file: "core/secrets/redact.ts",
    find: `return this.idle ? text : yield* pushed(this.stream(), text)`,
    put: `return yield* this.pieces(text)`,
    test: [SHOWN, "[T32] a text that was read in part"],
  },
  {
    name: "T32 a failed tool call shows a server's words as they are",
    file: "tools/web/http-answer.ts",
    find: `redactor?.() ?? NO_SECRETS`,
    put: `redactor ? NO_SECRETS : NO_SECRETS`,
    test: [CUT, "[T32] a failure that repeats"],
  },
  {
    name: "T32 a model's failure is searched after it was cut",
    file: "models/failure.ts",
    find: `const page = shown(trimmed, MAX_PAGE)`,
    put: `const page = beginning(trimmed, MAX_DETAIL)`,
    test: [CUT, "[T32] a model's failure"],
  },
  {
    name: "T32 the ends of streams are cut as they are",
    file: "core/secrets/beginning.ts",
    find: `const clean = yield* redactor.pieces(text)`,
    put: `const clean = text.length > most ? text : yield* redactor.pieces(text)`,
    test: [SHOWN, "wherever a text is cut"],
  },
  {
    name: "N4 set out JSON of any depth",
    file: "core/outside/set-out.ts",
    find: `if (text.length > MOST_CHARS || /\\d{16}/.test(text) || !staysSmall(text)) return text`,
    put: `if (/\\d{16}/.test(text)) return text`,
    test: [SHOWN, "[N4] 40 levels"],
  },
  {
    name: "N4 look for secrets at one go",
    file: "core/secrets/redact.ts",
    find: `if (this.idle || text.length <= PIECE) return this.text(text)\n    const stream`,
    put: `if (this.idle || text.length <= 1e9) return this.text(text)\n    const stream`,
    test: [WORK, "[T32] [N4] percent signs"],
  },
  {
    name: "T6 the search for secrets has no time limit",
    file: "engine/run/call/execute-tool.ts",
    find: `return await Promise.race([cleaned, stopped])`,
    put: `return await Promise.race([hooked, stopped]).then((raw) => (redactor ? cleanResult(tool.name, raw, redactor(), signal) : raw))`,
    test: [CUT, "[T6] the tool's time also ends"],
  },
  {
    name: "N4 draw a graph by asking every decision",
    file: "core/flow/check/graph-view.ts",
    find: `const firsts = segments.map((members) =>`,
    put: `const firsts = segments.map((_, n) => flow.steps.filter((_step, i) => graph.segmentOf[i] === n)).map((members) =>`,
    test: ["core/flow/check/many-forks.test.ts", "[N4] three branches each"],
  },
  {
    name: "N4 keep a reader that takes nothing",
    file: "cloudflare/run/streams/event-stream.ts",
    find: `if (this.#waiting && ++this.#waiting.beats >= MOST_BEATS) return this.#cutOff()`,
    put: ``,
    test: ["cloudflare/run/event-stream.test.ts", "[N4] a reader that takes nothing is cut off after a minute"],
  },
  {
    name: "T32 cut a shared file into entries, secrets and all",
    file: "tools/objects/r2-ingest.ts",
    find: `await breath.through(redactor.pieces(await textOf(key, file, powers.models, wish.force)))`,
    put: `await textOf(key, file, powers.models, wish.force)`,
    test: [CUT, "[T32] a shared file that is cut"],
  },
]
