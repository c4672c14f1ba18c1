// Strings, numbers, paths, queries and headers that have broken real servers.

import blns from "big-list-of-naughty-strings/blns.json" with { type: "json" }
import type { Json } from "../../src/core/json.ts"
import type { Chance } from "./chance.ts"
import type { Header } from "./wire.ts"

export const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "length",
  "",
  "\u0000",
  "a".repeat(5_000),
  "ключ",
  "$ref",
  "then",
]

export const STRINGS: readonly string[] = [
  ...(blns as readonly string[]),
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\uffff\ufffe",
  "e\u0301".repeat(2_000),
  "../../../etc/passwd",
  "..\\..\\x",
  "${{secrets.X}}",
  "${{constructor.constructor}}",
  "${{".repeat(500),
  "a".repeat(2_000),
  "a".repeat(200_000),
  "💩".repeat(30_000),
  "\n".repeat(5_000),
  "9".repeat(400),
  "-1",
  "1e309",
  "NaN",
  "(a+)+$",
  "(".repeat(3_000),
  "[a-".repeat(500),
  "a{1,99999999}",
  "{{".repeat(2_000),
  "*".repeat(3_000),
  "**/".repeat(3_000),
  "'; DROP TABLE runs; --",
  "%00%ff%",
  "http://[::ffff:127.0.0.1]/",
  "http://127.0.0.1:1/",
  "https://user:pw@sluice.invalid",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://",
  "2026-02-30T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
  "0 0 30 2 *",
  "* * * * * *",
  "*/0 * * * *",
  "0-59/1,0-59 0-23 * * *",
  `${"0,".repeat(20_000)}0 * * * *`,
  "@reboot",
  "Mars/Olympus",
  "+99:99",
  "Etc/GMT+14",
  "99999999999999999d",
  "-5s",
  "0.0000001ms",
  "a == 1 && ".repeat(3_000),
  `a${".a".repeat(5_000)} == 1`,
  "a[999999999] == 1",
  "__proto__.x == 1",
  "acme_eu",
  "acme-eu",
  "eu_acme",
]

export const NUMBERS: readonly number[] = [-1, 0, -0, 0.5, 1e-320, 1e21, 1.7976931348623157e308, 2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 53 + 2]

export function value(chance: Chance): Json {
  const pick = chance.below(12)
  if (pick < 5) return chance.of(STRINGS)
  if (pick < 7) return chance.of(NUMBERS)
  return chance.of<Json>([
    null,
    true,
    false,
    [],
    {},
    [[[[]]]],
    [null],
    { a: 1 },
    "",
    " ",
    Array.from({ length: 2_000 }, () => 0),
    wide(500),
  ])
}

const wide = (n: number): Json => Object.fromEntries(Array.from({ length: n }, (_, at) => [`k${at}`, at]))

/** Path segments, exactly as sent. */
export const SEGMENTS: readonly string[] = [
  "%00",
  "%",
  "%zz",
  "%E0%A4%A",
  "%ff%fe",
  "%C0%AE%C0%AE",
  "..",
  ".",
  "..%2F..%2Fetc%2Fpasswd",
  "..%5c..",
  "%2e%2e",
  "%2e%2e/%2e%2e/healthz",
  "a%2Fb",
  "a//b",
  "__proto__",
  "constructor",
  "toString",
  "%20",
  "%0d%0aX-A:%20b",
  "%F0%9F%92%A9",
  "a".repeat(3_000),
  "%61".repeat(600),
  "run_00000000000000000000000000",
  "run_zzzzzzzzzzzzzzzzzzzzzzzzzz",
  "asks@0",
  "asks@99999999999999999999",
  "asks@-1",
  "a:b:c",
  ":",
  "@subagent%2Fwriter",
  "*",
  "0",
  "-1",
  "1e3",
  "i1",
  ";a=b",
  "acme_eu",
  "%5B%5D",
  "$%7B%7Bsecrets.X%7D%7D",
  "null",
  "undefined",
]

export const QUERIES: readonly string[] = [
  "",
  "%",
  "%00",
  "-1",
  "0",
  "0.5",
  "1e3",
  "99999999999999999999",
  "NaN",
  "Infinity",
  "true",
  "__proto__",
  "a,b,,c",
  ",".repeat(3_000),
  "a".repeat(6_000),
  "eyJhIjoxfQ",
  "eyJzIjotMX0.AAAA",
  "AAAAAAAA",
  "%F0%9F%92%A9",
  "..%2F..",
  "2026-02-30T00:00:00Z",
  "+",
  "1;2",
]

const TYPES = [
  "text/html",
  "multipart/form-data",
  "multipart/form-data; boundary=" + "x".repeat(300),
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "application/xml",
  "application/zip",
  "application/octet-stream",
  "APPLICATION/JSON",
  "json",
  "/",
  ";",
  "",
  "a".repeat(3_000),
]
const PREFERS = [
  "wait=-1",
  "wait=1e9",
  "wait=",
  "wait",
  "wait=0.5",
  "wait=NaN",
  "wait=0, wait=0",
  "respond-async; wait=0",
  'wait="0',
  "return=minimal",
  "=".repeat(500),
  "wait=99999999999999999999x",
]
const TAGS = ["*", 'W/"x"', '""', '"', '"a", "b", *', ",".repeat(2_000), '"' + "a".repeat(3_000) + '"', "__proto__", '"0"']
const KEYS = ["", " ", "\u00e9", "a".repeat(255), "a".repeat(256), "fuzz-same", "fuzz-same", "__proto__", "a/b", "..", "%00"]
const ACCEPTS = [
  "",
  "*",
  "text/html",
  "text/event-stream;q=0",
  "application/json;q=" + "9".repeat(300),
  ",".repeat(2_000),
  "application/xml",
  "q=1",
]
const TRACES = ["00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-01", "ff-x", "00-" + "a".repeat(3_000), ""]

/** Headers that any client may send; none is required. */
export function headers(chance: Chance): Header[] {
  const one = (name: string, all: readonly string[]): Header => [name, chance.of(all)]
  const all: readonly (() => readonly Header[])[] = [
    () => [one("prefer", PREFERS)],
    () => [one("if-match", TAGS)],
    () => [one("if-none-match", TAGS)],
    () => [one("idempotency-key", KEYS)],
    () => [one("idempotency-key", KEYS), one("idempotency-key", KEYS)],
    () => [one("accept", ACCEPTS)],
    () => [
      one(
        "last-event-id",
        QUERIES.filter((text) => text.length < 100),
      ),
    ],
    () => [one("traceparent", TRACES), ["tracestate", "a=b,".repeat(200)]],
    () => [["origin", chance.of(["null", "https://evil.invalid", "http://127.0.0.1", "", "https://" + "a".repeat(2_000)])]],
    () => [
      ["x-http-method-override", "DELETE"],
      ["x-forwarded-for", "127.0.0.1"],
      ["x-forwarded-host", "evil.invalid"],
    ],
    () => [["range", "bytes=0-0,5-,-1"]],
    () => [["content-encoding", "gzip"]],
    () => [["cookie", "__proto__=1; ".repeat(100)]],
    () => Array.from({ length: 60 }, (_, at): Header => [`x-fuzz-${at}`, "y"]),
    () => [one("upgrade", ["h2c", "websocket", "x"]), ["connection", "keep-alive"]],
  ]
  return chance.percent(30) ? [...chance.of(all)()] : chance.some(all, 4).flatMap((made) => [...made()])
}

export const type = (chance: Chance): string => chance.of(TYPES)
