// Lists a release's components as CycloneDX in dist/sbom.cdx.json: `npm run sbom`. It reads only the lockfile, without a network. The same
// lockfile gives the same bytes: the serial number is derived from it, and no time is written.

import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isObject } from "../src/core/json.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const FILE = "dist/sbom.cdx.json"

/**
 * Includes development and test components, marked `cdx:npm:package:development`: with `--omit dev`, npm would also leave out components
 * that the Worker shares with them.
 */
export function sbom(): string {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const options = ["--sbom-format", "cyclonedx", "--package-lock-only"]
  const made: unknown = JSON.parse(execFileSync(npm, ["sbom", ...options], { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }))
  const metadata: Record<string, unknown> = isObject(made) && isObject(made["metadata"]) ? { ...made["metadata"] } : {}
  delete metadata["timestamp"]
  // npm names the component after the folder.
  const component = isObject(metadata["component"]) ? { ...metadata["component"], name: "sluice" } : {}
  const hash = createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .digest("hex")
  const serial = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join("-")
  const whole = { ...(isObject(made) ? made : {}), serialNumber: `urn:uuid:${serial}`, metadata: { ...metadata, component } }
  return `${JSON.stringify(whole, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = sbom()
  mkdirSync(path.join(root, "dist"), { recursive: true })
  writeFileSync(path.join(root, FILE), text)
  const parts: unknown = JSON.parse(text)
  const count = isObject(parts) && Array.isArray(parts["components"]) ? parts["components"].length : 0
  console.log(`${FILE}: ${count} components`)
}
