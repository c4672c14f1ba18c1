// Generates the code around a handler inside its isolate [F24]: two JavaScript modules, as text. sandbox-loader.ts calls them.
//
// The handler shares their globals, so they save every global they use before the handler's module is evaluated: a handler that overwrites JSON
// or Promise breaks only itself, not the report about it. The loader checks everything that these modules answer. The answer is JSON lines:
// `{"log": …}` while the handler runs, and `{"ok": …}` as the last line.
//
// Most handlers log nothing, use no signal and return something short without waiting. So the stream of lines, the signal and the clock are
// created on demand, and a short call or answer is a header: bodies in both directions triple the cost of a call.

import { AWAIT_STEPS, METER } from "../../engine/code/meter-name.ts"
import { MAX_TEXT } from "../../ports/sandbox.ts"

/** Part of the isolate's name. Change it together with the texts below, so that new texts never use an isolate with the old ones. */
export const HARNESS_VERSION = "5"
export const HARNESS_MODULE = "harness.js"
export const HANDLER_MODULE = "handler.js"

export const CALL_HEADER = "sluice-call"
export const ANSWER_HEADER = "sluice-answer"
/** Characters of printable ASCII that go into a header. The platform bounds all headers of a request at 128 KB. */
export const MAX_HEADER = 4_096

export const MAX_RESULT_BYTES = 262_144 // limit: bytes of a handler's value → the step fails: `code_error`
export const MAX_LOGS = 200 // limit: lines that a handler logs → further ones are dropped

const MOST = 500_000_000 // limit: steps of a handler → the step fails: `code_timeout`
const MOST_PER_MS = 250_000 // limit: steps of a handler for each millisecond of its step's time → the step fails: `code_timeout`

/**
 * The steps that end a computation, equally on busy and idle machines: 500 million, about 2 s, and fewer for a step with a shorter timeout.
 * The timeout ends a handler that waits.
 */
export const METER_TEXT = `
let steps = 0, most = 0, running = 0, spent = false
export const tick = (count) => {
  if (spent || (steps += count) > most) {
    spent = true
    throw new Error("the handler computes for too long")
  }
}
export const begin = (ms) => {
  if (running++ === 0) most = 0
  steps = 0
  spent = false
  if (ms * ${MOST_PER_MS} > most) most = ms * ${MOST_PER_MS} < ${MOST} ? ms * ${MOST_PER_MS} : ${MOST}
}
export const end = () => { running-- }
export const isSpent = () => spent
`

export const HARNESS_TEXT = `
import { begin, end, isSpent, tick } from "${METER}"

const { parse, stringify } = JSON
const { keys, getPrototypeOf, hasOwn, freeze, defineProperty, prototype: plain } = Object
const { apply } = Reflect
const { isArray, prototype: list } = Array
const { sort } = list
const { isFinite } = Number
const { slice } = String.prototype
const { exec } = RegExp.prototype
const { enqueue, close } = ReadableStreamDefaultController.prototype
const { encode } = TextEncoder.prototype
const { abort } = AbortController.prototype
const signalOf = Object.getOwnPropertyDescriptor(AbortController.prototype, "signal").get
const { get: headerOf } = Headers.prototype
const { text: textOf } = Request.prototype
const headersOf = Object.getOwnPropertyDescriptor(Request.prototype, "headers").get
const { has: seenHas, add: seenAdd, delete: seenDelete } = WeakSet.prototype
const { Response, ReadableStream, Promise: Later, AbortController: Controller, WeakSet: Seen, Error: Fault, String: text, setTimeout: later, clearTimeout: forget } = globalThis
const encoder = new TextEncoder()
const PLACE = /handler\\.js:(\\d+)/
const NAME = /^[A-Za-z_$][\\w$]*$/

// Where one run could leave something for another to find, or pretend to reach out.
const absent = (name) => () => { throw new Fault(name + " is not here: a handler has no network") }
for (const name of ["fetch", "WebSocket", "EventSource"]) defineProperty(globalThis, name, { value: absent(name), writable: false, configurable: false })
for (const name of ["caches", "Cloudflare"]) defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false })
// What waits for what is there already comes before every timer, so it costs as many steps as an \`await\`.
const { then } = Later.prototype
const { queueMicrotask: soon } = globalThis
const paid = (value) => ({ value, writable: true, configurable: true })
defineProperty(Later.prototype, "then", paid(function (kept, broken) { tick(${AWAIT_STEPS}); return apply(then, this, [kept, broken]) }))
defineProperty(globalThis, "queueMicrotask", paid((work) => { tick(${AWAIT_STEPS}); soon(work) }))
defineProperty(globalThis, "FlowHardError", { value: class FlowHardError extends Error { name = "FlowHardError" }, writable: true, configurable: true })
// The ones that language and platform look up while they serve the harness.
for (const kept of [Promise, Promise.prototype, JSON, Reflect, ReadableStreamDefaultController.prototype]) freeze(kept)

// Whoever reads it takes secrets out and marks the cut: it must end where the text does.
const cut = (value) => value.length > ${MAX_TEXT} ? apply(slice, value, [0, ${MAX_TEXT}]) : value
const show = (value) => {
  try {
    return cut(typeof value === "string" ? value : typeof value === "object" && value !== null ? stringify(value) ?? text(value) : text(value))
  } catch {
    return "(something that cannot be shown)"
  }
}
const read = (value, key) => {
  try {
    return value[key]
  } catch {
    return undefined
  }
}

class Contract { constructor(message) { this.message = message } }

// JSON by hand: what JSON.stringify would drop or change without a word is refused with its place.
const write = (root) => {
  const open = new Seen()
  let size = 0
  const count = (part) => {
    size += part.length
    if (size > ${MAX_RESULT_BYTES}) throw new Contract("the result is larger than ${MAX_RESULT_BYTES / 1024} KiB: keep large things in files")
    return part
  }
  const at = (path) => path === "" ? "the result" : "the result's " + cut(path)
  const json = (value, path, depth) => {
    switch (typeof value) {
      case "string": return count(stringify(value))
      case "boolean": return count(value ? "true" : "false")
      case "number":
        if (!isFinite(value)) throw new Contract(at(path) + " is " + value + ", which JSON does not have: return null or a text")
        return count(stringify(value))
      case "undefined": throw new Contract(at(path) + " is undefined: return null, or leave the key out")
      case "bigint": throw new Contract(at(path) + " is a BigInt: return a number or a text")
      case "function": throw new Contract(at(path) + " is a function, which is no JSON value")
      case "symbol": throw new Contract(at(path) + " is a symbol, which is no JSON value")
    }
    if (value === null) return count("null")
    if (depth > 64) throw new Contract(at(path) + " is nested deeper than 64 levels")
    if (apply(seenHas, open, [value])) throw new Contract(at(path) + " contains itself")
    apply(seenAdd, open, [value])
    let out = ""
    if (isArray(value)) {
      const length = value.length
      for (let i = 0; i < length; i++) out += (i === 0 ? "" : count(",")) + json(value[i], path + "[" + i + "]", depth + 1)
      out = "[" + out + "]"
    } else {
      const proto = getPrototypeOf(value)
      if (proto !== plain && proto !== null) {
        const kind = read(read(value, "constructor"), "name")
        const name = typeof kind === "string" && apply(exec, NAME, [kind]) !== null ? kind : "object of a class"
        throw new Contract(at(path) + (typeof read(value, "then") === "function" ? " is a promise: await it" : " is a " + name + ": return plain objects, lists and texts"))
      }
      const names = keys(value)
      for (let i = 0; i < names.length; i++) {
        const name = names[i]
        if (name === "__proto__") throw new Contract(at(path) + " has the key __proto__, which is refused")
        out += (i === 0 ? "" : count(",")) + count(stringify(name)) + ":" + json(value[name], path === "" ? name : path + "." + name, depth + 1)
      }
      out = "{" + out + "}"
    }
    apply(seenDelete, open, [value])
    return out
  }
  if (typeof root !== "object" || root === null || isArray(root))
    throw new Contract("the handler must return an object, and returned " + (root === undefined ? "nothing" : root === null ? "null" : isArray(root) ? "a list" : "a " + typeof root))
  return json(root, "", 0)
}

class ToolError extends Fault {
  name = "ToolError"
  constructor(tool, state, message) {
    super(message)
    this.tool = tool
    this.state = state
  }
}

// With keys in one order, so that equal arguments are equal texts.
const sorted = (value) => {
  if (typeof value !== "object" || value === null) return value
  const out = isArray(value) ? [] : { __proto__: null }
  const names = keys(value)
  if (!isArray(value)) apply(sort, names, [])
  for (let i = 0; i < names.length; i++) out[names[i]] = sorted(value[names[i]])
  return out
}

const failed = (kind, message, line) => '{"ok":false,"kind":"' + kind + '","message":' + stringify(cut(message)) + (line === undefined ? "" : ',"line":' + line) + "}"

const fault = (error) => {
  if (error instanceof Contract) return failed("contract", error.message)
  if (typeof error !== "object" && typeof error !== "function" || error === null) return failed("threw", "the handler threw " + show(error))
  const stack = read(error, "stack")
  const place = typeof stack === "string" ? apply(exec, PLACE, [stack]) : null
  const name = read(error, "name")
  const kind = read(read(error, "constructor"), "name")
  const message = read(error, "message")
  const isSilent = message === "" && typeof name === "string" && name !== ""
  const said = isSilent ? "no message" : typeof message === "string" && message !== "" ? message : show(error)
  if (name === "FlowHardError" || kind === "FlowHardError") return failed("flow_hard_error", said, place === null ? undefined : place[1])
  const title = typeof name === "string" && name !== "" ? name + ": " : ""
  return failed("threw", "the handler threw " + (isSilent ? name + " without a message" : title + said), place === null ? undefined : place[1])
}

// A promise, or something that says it is one; asking the result for \`then\` could run the handler's code once more.
const mayWait = (value) => {
  if (typeof value !== "object" || value === null) return typeof value === "function"
  const proto = getPrototypeOf(value)
  return (proto !== plain && proto !== null) || hasOwn(value, "then")
}

// Loaded with the first call, which reports what its evaluation throws.
let loaded

const work = async (call, say, finish) => {
  let control
  let timer
  let over = false
  let isLate = false
  let summary
  let logs = 0
  const late = () => apply(abort, control, [new Fault("the handler's time is over")])
  let made = 0
  const fresh = []
  let size = 0
  const flush = () => answer('{"ok":null,"calls":[' + fresh.join(",") + "]}")
  // [F27] A call that was recorded has its answer; the first ones that were not end this run of the handler.
  const ask = (tool, args) => {
    let given
    try {
      given = args === undefined ? "{}" : write(args)
    } catch (error) {
      throw new Fault("the arguments of " + text(tool) + " are no JSON object: " + show(read(error, "message")))
    }
    const known = call.calls[made++]
    if (known === undefined) {
      if (fresh.length === 0) later(flush, 0)
      // What is too large for one answer is asked for again by the next run.
      size += given.length
      if (fresh.length > 0 && size > ${MAX_RESULT_BYTES}) return new Later(() => {})
      fresh[fresh.length] = '{"tool":' + stringify(text(tool)) + ',"args":' + given + "}"
      return new Later(() => {})
    }
    const was = known.tool + " " + stringify(sorted(known.args))
    const is = text(tool) + " " + stringify(sorted(parse(given)))
    if (was !== is) {
      answer(failed("diverged", "call " + made + " of the handler is " + cut(is) + ", and before it was " + cut(was) + ": a handler that calls tools must do the same each time it runs"))
      return new Later(() => {})
    }
    const said = known.answer
    if (said.ok) return Later.resolve(freeze({ __proto__: null, text: said.text, data: said.data }))
    return Later.reject(new ToolError(tool, said.state, said.message))
  }
  const answer = (line) => {
    if (over) return
    over = true
    if (timer !== undefined) forget(timer)
    end()
    finish(isSpent() ? failed("timeout", "the handler computed without an end for too long: look for a loop that never stops") : line)
  }
  const watch = () => {
    timer = later(() => {
      if (over) return
      isLate = true
      if (control !== undefined) late()
      answer(failed("timeout", "the handler did not end within " + call.timeoutMs + " ms"))
    }, call.timeoutMs)
  }
  begin(call.timeoutMs)
  try {
    if (loaded === undefined) {
      watch()
      loaded = await import("./${HANDLER_MODULE}")
    }
    const handler = loaded.default
    if (typeof handler !== "function") return answer(failed("no_default", "the handler has no function as its default export"))
    const ctx = freeze({
      __proto__: null,
      get signal() {
        if (control === undefined) {
          control = new Controller()
          if (isLate) late()
        }
        return apply(signalOf, control, [])
      },
      flow: call.flow,
      step: call.step,
      task: call.task,
      log: (message) => {
        if (over || logs >= ${MAX_LOGS}) return
        const full = ++logs === ${MAX_LOGS}
        say('{"log":' + stringify(full ? "(more than ${MAX_LOGS - 1} messages: the rest is dropped)" : show(message)) + "}")
      },
      setSummary: (said) => { summary = show(said) },
      ...(call.calls === undefined ? {} : { call: async (tool, args) => ask(tool, args) }),
    })
    let value = handler(call.input, ctx)
    if (mayWait(value)) {
      if (timer === undefined) watch()
      value = await value
    }
    // What nobody awaits is called all the same.
    if (fresh.length > 0) return flush()
    const line = write(call.anyValue === true ? { value } : value)
    answer('{"ok":true' + (summary === undefined ? "" : ',"summary":' + stringify(summary)) + ',"value":' + line + "}")
  } catch (error) {
    if (fresh.length > 0) return flush()
    let line
    try {
      line = fault(error)
    } catch {
      line = failed("threw", "the handler threw something that cannot be shown")
    }
    answer(line)
  }
}

const LONG = /[^ -~]|^.{${MAX_HEADER}}/
const whole = (line) =>
  apply(exec, LONG, [line]) === null
    ? new Response(null, { __proto__: null, headers: { __proto__: null, "${ANSWER_HEADER}": line } })
    : new Response(line + "\\n")

export default {
  async fetch(request) {
    const short = apply(headerOf, apply(headersOf, request, []), ["${CALL_HEADER}"])
    const call = parse(short === null ? await apply(textOf, request, []) : short)
    return new Later((respond) => {
      let out
      const say = (line) => {
        if (out === undefined) respond(new Response(new ReadableStream({ start(made) { out = made } })))
        apply(enqueue, out, [apply(encode, encoder, [line + "\\n"])])
      }
      work(call, say, (line) => {
        if (out === undefined) return respond(whole(line))
        say(line)
        apply(close, out, [])
      })
    })
  },
}
`
