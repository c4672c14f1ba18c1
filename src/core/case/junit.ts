// Writes a test report as JUnit XML for build servers [K21].

import type { CaseFailure, TestReport } from "./test-report.ts"

export function junit({ flow, failed, cases }: TestReport): string {
  const time = cases.reduce((sum, { ms }) => sum + ms, 0)
  const counts = `tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="${seconds(time)}"`
  const body = cases.map(({ name, ms, failures }) => {
    const head = `    <testcase classname=${quoted(flow)} name=${quoted(name)} time="${seconds(ms)}"`
    return failures.length === 0 ? `${head}/>\n` : `${head}>\n${failures.map(failureOf).join("")}    </testcase>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite name=${quoted(flow)} ${counts}>\n${body.join("")}  </testsuite>\n</testsuites>\n`
}

function failureOf({ at, expected, found }: CaseFailure): string {
  const message = `${at === "" ? "" : `${at}: `}expected ${shown(expected)}, found ${shown(found)}`
  return `      <failure message=${quoted(message)}>${escaped(message)}</failure>\n`
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
const seconds = (ms: number): string => (ms / 1000).toFixed(3)
const quoted = (text: string): string => `"${escaped(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`

/** XML 1.0 has no form at all for most control characters and for halves of surrogate pairs. */
const escaped = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    // XML cannot hold most of these characters, and the others are of no use in a report.
    .replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, "\ufffd")
    .replaceAll("\r", "&#13;")
    .replaceAll("&", "&amp;")
    .replaceAll("&amp;#13;", "&#13;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
