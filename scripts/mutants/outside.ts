// Faults in how texts from outside are cut, searched and set out [T32, N4], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const CUT = "engine/run/call/cut-secrets.test.ts"
const SHOWN = "core/secrets/beginning.test.ts"
const WORK = "core/secrets/redact-work.test.ts"
const ANSWERS = "engine/run/call/cut-answers.test.ts"
const BODIES = "http/middleware/large-json.test.ts"

export const OUTSIDE: readonly Mutant[] = [
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
    name: "T32 a text that its sandbox cut is taken for whole",
    file: "core/secrets/beginning.ts",
    find: `if (!ends || clean.length > most`,
    put: `if (clean.length > most`,
    test: [ANSWERS, "[T32] whose text is cut"],
  },
  {
    name: "T32 a handler's value is kept as it is",
    file: "engine/run/call/run-code.ts",
    find: `redactor.idle ? said.value :`,
    put: `said.ok ? said.value :`,
    test: [ANSWERS, "[T32] whose text is cut"],
  },
  {
    name: "T32 a dispatcher's answer is cut as it came",
    file: "cloudflare/capabilities/plan-dispatch.ts",
    find: `return new Breath().through(redactor.jsonPieces(answer.value))`,
    put: `return answer.value`,
    test: [ANSWERS, "[T32] a dispatcher's answer"],
  },
  {
    name: "T32 an MCP server's list is cut as it came",
    file: "engine/net/mcp-look.ts",
    find: `redactor.jsonPieces(await`,
    put: `new Redactor([]).jsonPieces(await`,
    test: [ANSWERS, "[T32] names and titles"],
  },
  {
    name: "T32 a form's field is cut before anybody looks for secrets",
    file: "core/tool/elicitation.ts",
    find: `JSON.stringify(odd[0])`,
    put: `JSON.stringify(odd[0].slice(0, 100))`,
    test: [ANSWERS, "[T32] a form that cannot be shown"],
  },
  {
    name: "T32 a summary's model is not told what to look for",
    file: "engine/run/compact.ts",
    find: `    redactor,\n    maxOutputTokens: SUMMARY_TOKENS,`,
    put: `    maxOutputTokens: SUMMARY_TOKENS,`,
    test: [ANSWERS, "[T32] a provider's refusal of a summary"],
  },
  {
    name: "T32 a log line is cut within a word",
    file: "core/secrets/log-text.ts",
    find: `shown = beginning(shown, 4 * LONGEST)`,
    put: `shown = shown.slice(0, 4 * LONGEST)`,
    test: [ANSWERS, "[N8] [T32] a log line"],
  },
  {
    name: "T32 a failed callback shows a part of what it says, as it is",
    file: "cloudflare/tenant/triggers/callback-sender.ts",
    find: `return beginning(error, MAX_ERROR_CHARS, await this.#deps.redactor())`,
    put: `return (await this.#deps.redactor()).text(error.slice(0, MAX_ERROR_CHARS))`,
    test: ["worker/tenant/triggers/callbacks.test.ts", "[T32] a failed try shows no part of a secret"],
  },
  {
    name: "T32 cut a shared file into entries, secrets and all",
    file: "tools/objects/r2-ingest.ts",
    find: `await breath.through(redactor.pieces(await textOf(key, file, powers.models, wish.force)))`,
    put: `await textOf(key, file, powers.models, wish.force)`,
    test: [CUT, "[T32] a shared file that is cut"],
  },
  {
    name: "N4 parse a large body at one go",
    file: "core/outside/json-pieces.ts",
    find: `if (text.length > SMALL || text.length > values)`,
    put: `if (text.length > 1e9)`,
    test: [BODIES, "[N4] of many"],
  },
  {
    name: "N4 a large body has any number of values",
    file: "http/middleware/body.ts",
    find: `bytes.byteLength > BODY_LIMIT ? { values: MAX_VALUES } : {}`,
    put: `{}`,
    test: [BODIES, "[N4] of more than 1 MiB"],
  },
  {
    name: "N4 a library parses whatever an MCP server sends",
    file: "engine/net/mcp-way.ts",
    find: `if (why !== undefined) throw`,
    put: `if (why !== undefined && left < 0) throw`,
    test: ["engine/net/mcp-client.test.ts", "[N4] an answer of more values"],
  },
  {
    name: "N4 a quote in a comment hides what follows",
    file: "core/outside/json-meter.ts",
    find: `this.#isText = this.#isEscaped = false`,
    put: `this.#isEscaped = false`,
    test: ["core/outside/json-meter.test.ts", "[N4] neither line breaks"],
  },
  {
    name: "N4 set out values of any depth",
    file: "core/outside/set-out.ts",
    find: `return text.length > MOST_CHARS || !staysSmall(text) ? text`,
    put: `return text.length > MOST_CHARS ? text`,
    test: [SHOWN, "[N4] values are set out"],
  },
  {
    name: "N4 count an outcome at one go",
    file: "core/text/truncate.ts",
    find: `const PIECE = 128 * 1024`,
    put: `const PIECE = 1e9`,
    test: ["core/text/truncate.test.ts", "[N4] a long text is counted"],
  },
]
