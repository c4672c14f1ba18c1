// Whether a page of the console can damage another one [B2]. The sheet of a page stays once it is loaded, so what it says about elements that are not
// its own is said about those of all pages that come later. Each selector of such a sheet must therefore have a class of its module.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

const MODULE = ".module.css"

/** Describes each selector of a page's sheet that reaches other pages, and each class that is used and not there, or there and not used. */
export function leaks(app: string, built: string): string[] {
  const files = readdirSync(app, { recursive: true, encoding: "utf8" }).map((name) => path.join(app, name))
  const sheets = new Map(files.filter((file) => file.endsWith(MODULE)).map((file) => [file, classesOf(readFileSync(file, "utf8"))]))
  const names = [...sheets.keys()].map((file) => path.basename(file, MODULE))
  return [
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `two files are called ${name}${MODULE}: their classes would be the same`),
    ...unlike(
      sheets,
      files.filter((file) => /\.tsx?$/.test(file)),
    ),
    ...lazySheets(built).flatMap(([name, text]) =>
      reaching(text, names).map((selector) => `${name}: ${selector} has no class of a module`),
    ),
  ]
}

/** Selectors without a class of one of these modules. */
export function reaching(sheet: string, modules: readonly string[]): string[] {
  const own = new RegExp(`\\.(?:${modules.map((name) => name.replaceAll("-", "\\-")).join("|")})_[\\w-]`)
  return selectorsOf(sheet).filter((selector) => !own.test(outsideNot(selector)))
}

/** Those that the first page does not link: they come with a page and stay. */
function lazySheets(built: string): [name: string, text: string][] {
  const html = readFileSync(path.join(built, "index.html"), "utf8")
  const assets = path.join(built, "assets")
  return readdirSync(assets)
    .filter((name) => name.endsWith(".css") && !html.includes(name))
    .map((name) => [name, readFileSync(path.join(assets, name), "utf8")])
}

/** `css.name` in a part, and `.name` in its module. A module that is read by a computed name may have more than is seen. */
function unlike(sheets: ReadonlyMap<string, ReadonlySet<string>>, parts: readonly string[]): string[] {
  const used = new Map([...sheets.keys()].map((file) => [file, new Set<string>()]))
  const computed = new Set<string>()
  const faults: string[] = []
  for (const part of parts) {
    const text = readFileSync(part, "utf8")
    for (const [, name = "", place = ""] of text.matchAll(/^import (\w+) from "(\.[^"]+\.module\.css)"/gm)) {
      const file = path.join(path.dirname(part), place)
      for (const [, one = ""] of text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))) {
        used.get(file)?.add(one)
        if (sheets.get(file)?.has(one) !== true) faults.push(`${part}: ${name}.${one} is not in ${place}`)
      }
      if (new RegExp(`\\b${name}\\[`).test(text)) computed.add(file)
    }
  }
  for (const [file, classes] of sheets)
    for (const one of computed.has(file) ? [] : classes)
      if (used.get(file)?.has(one) !== true) faults.push(`${file}: nothing has the class ${one}`)
  return faults
}

const classesOf = (sheet: string): ReadonlySet<string> =>
  new Set(
    selectorsOf(sheet.replaceAll(/\/\*[\s\S]*?\*\//g, "")).flatMap((selector) =>
      [...selector.replaceAll(/:global\([^)]*\)/g, "").matchAll(/\.([a-zA-Z_][\w-]*)/g)].map(([, name = ""]) => name),
    ),
  )

/** What stands before a block of declarations, one for each comma outside of brackets. Steps of an animation have no element. */
export function selectorsOf(sheet: string): string[] {
  const found: string[] = []
  const open: string[] = []
  let from = 0
  for (let at = 0; at < sheet.length; at++) {
    const sign = sheet[at]
    if (sign === '"') at = sheet.indexOf('"', at + 1)
    else if (sign === "{") {
      const head = sheet.slice(from, at).trim()
      if (!head.startsWith("@") && !open.some((one) => one.startsWith("@keyframes"))) found.push(...listed(head))
      open.push(head)
      from = at + 1
    } else if (sign === "}" || sign === ";") {
      if (sign === "}") open.pop()
      from = at + 1
    }
  }
  return found
}

function listed(selectors: string): string[] {
  const parts = [""]
  let depth = 0
  for (const sign of selectors) {
    if (sign === "(") depth++
    if (sign === ")") depth--
    if (sign === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += sign
  }
  return parts.map((part) => part.trim())
}

/** What an element is not says nothing about which it is. */
const outsideNot = (selector: string): string => selector.replaceAll(/:not\([^()]*(?:\([^()]*\)[^()]*)*\)/g, "")
