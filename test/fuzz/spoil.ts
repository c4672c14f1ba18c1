// A valid body made invalid: members removed, added and replaced in the tree, then the text itself broken, so that no parser's view is trusted.

import { isObject, type Json } from "../../src/core/json.ts"
import type { Chance } from "./chance.ts"
import { NAMES, STRINGS, value as naughty } from "./naughty.ts"

/** One to three faults. The original value is not changed. */
export function spoilt(chance: Chance, right: Json): Json {
  let made: Json = structuredClone(right)
  for (let n = 1 + chance.below(3); n > 0; n--) made = spoiltOnce(chance, made)
  return made
}

function spoiltOnce(chance: Chance, whole: Json): Json {
  const places = placesIn(whole)
  const place = chance.of<Place | undefined>([undefined, ...places])
  if (place === undefined) return chance.percent(30) ? naughty(chance) : extended(chance, whole)
  const { parent, key } = place
  const own = Array.isArray(parent) ? parent[Number(key)] : parent[key]
  switch (chance.below(5)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete parent[key]
      break
    case 1:
      put(parent, key, naughty(chance))
      break
    case 2:
      put(parent, key, typeof own === "string" ? mixed(chance, own) : chance.percent(50) ? [own ?? null] : chance.of(STRINGS))
      break
    case 3:
      put(parent, key, extended(chance, own ?? null))
      break
    default:
      put(parent, key, String(JSON.stringify(own)))
  }
  return whole
}

interface Place {
  readonly parent: Json[] | Record<string, Json>
  readonly key: string
}

function placesIn(value: Json): Place[] {
  if (typeof value !== "object" || value === null) return []
  const parent = value as Json[] | Record<string, Json>
  return Object.entries(value).flatMap(([key, child]) => [{ parent, key }, ...placesIn(child)])
}

/** An own property even when the name is __proto__. */
function put(parent: Json[] | Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function extended(chance: Chance, value: Json): Json {
  const name = chance.percent(70) ? chance.of(NAMES) : chance.of(STRINGS)
  const child = chance.percent(50) ? { polluted: "yes", admin: true } : naughty(chance)
  if (!isObject(value)) return [value, child]
  put(value as Record<string, Json>, name, child)
  return value
}

function mixed(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1)
  return text.slice(0, at) + chance.of(STRINGS) + text.slice(at + chance.below(4))
}

/** JSON text that JSON.stringify would not produce. */
export function brokenText(chance: Chance, text: string): Buffer {
  const at = chance.below(text.length + 1)
  const cut = (middle: string): Buffer => Buffer.from(text.slice(0, at) + middle + text.slice(at))
  switch (chance.below(16)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return cut("\u0000")
    case 2:
      return Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(text.slice(at))])
    case 3:
      return Buffer.from(`\ufeff${text}`)
    case 4:
      return Buffer.from(text.replace(/^\{/, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},'))
    case 5:
      // The same member twice, first invalid and then valid.
      return Buffer.from(text.replace(/^\{("[^"]*"):/, "{$1:[[]],$1:"))
    case 6:
      return Buffer.from(text.replace(/"([^"]*)"$|"([^"]*)"\}/, '"\\ud800$2"}'))
    case 7:
      return Buffer.from(text.replace(/\d+/, "1e999"))
    case 8:
      return Buffer.from(text.replace(/\d+/, "9".repeat(5_000)))
    case 9:
      return Buffer.from(`${text}${text}`)
    case 10:
      return Buffer.from(text.replace(/[}\]]$/, ",$&"))
    case 11:
      return Buffer.from("[".repeat(200_000))
    case 12:
      return Buffer.from(`{"a":${'{"a":'.repeat(3_000)}1${"}".repeat(3_001)}`)
    case 13:
      return Buffer.from(`${" ".repeat(900_000)}${text}`)
    case 14:
      return Buffer.from(text, "utf16le")
    default:
      return Buffer.from(chance.of(["", "null", "[]", '"x"', "1", "NaN", "{'a':1}", "{a:1}", "//x\n{}", "\u001f", "{}{}", "-", "tru"]))
  }
}

/** A definition with lines removed, doubled, moved or broken. */
export function brokenLines(chance: Chance, text: string): string {
  const lines = text.split("\n")
  for (let n = 1 + chance.below(3); n > 0; n--) {
    const at = chance.below(lines.length)
    const line = lines[at] ?? ""
    switch (chance.below(7)) {
      case 0:
        lines.splice(at, 1)
        break
      case 1:
        lines.splice(at, 0, line)
        break
      case 2:
        lines.splice(at, 1, " ".repeat(chance.below(9)) + line)
        break
      case 3:
        lines.splice(at, 1, mixed(chance, line))
        break
      case 4:
        lines.splice(at, 1, line.replace(/:.*/, `: ${chance.of(STRINGS)}`))
        break
      case 5:
        lines.splice(at, 1, line.replace(/[\w-]+(?=:)/, chance.of(NAMES)))
        break
      default:
        lines.splice(
          at,
          1,
          line.replace(
            /: .*/,
            chance.of([": &a [*a]", ": *b", ": !!float x", ": [[[[", ": { a: 1, a: 2 }", ": |", ": ~", ": 0x1F", ": 1e999", ": .nan"]),
          ),
        )
    }
  }
  return lines.join("\n")
}
