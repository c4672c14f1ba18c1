// Settings of the local server from the environment, read once. Invalid values are errors.

import path from "node:path"
import { fileURLToPath } from "node:url"
import { checkOwnKeys, environmentOf } from "./environment.ts"
import { withSecretFiles } from "./secret-files.ts"
import { Trouble } from "./trouble.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Works for the tenant `local`, and only if ENVIRONMENT is "local" [N5]. */
export const LOCAL_KEY = "sl_local_dev"
/** The instance's admin key in the local environment. */
export const LOCAL_ADMIN_KEY = "sl_admin_local"

/** Variables and secrets that are passed to the Worker if set. */
const PASSED = [
  "ALLOWED_PRIVATE_HOSTS",
  "VAULT_KEY",
  "ADMIN_KEY",
  "PUBLIC_URL",
  "CLOSED_HOSTS",
  "OPEN_HOSTS",
  "OTLP_ENDPOINT",
  "OTLP_HEADERS",
  "ACCESS_TEAM",
  "ACCESS_AUDIENCE",
  "ACCESS_KEYS",
  "REQUEST_LOG",
]

export interface Settings {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly data: string
  /** Vars of the Worker. */
  readonly bindings: Readonly<Record<string, string>>
  /** SLUICE_BROWSER=1: browsers for browser.*, with this Chromium ("": the first one found). Absent: no browsers. */
  readonly browser?: { readonly chromium: string }
  /** Send the Worker's log to the terminal instead of `server.log` in the data folder? */
  readonly logToTerminal: boolean
}

export function readSettings(given: Readonly<Record<string, string | undefined>>): Settings {
  const env = withSecretFiles(given)
  const environment = environmentOf(env)
  checkOwnKeys(environment, env)
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return {
    host: env["HOST"] || "127.0.0.1",
    port: readPort(env["PORT"]),
    // Relative to the project, not to the working directory: the same project has the same runs.
    data: path.resolve(root, env["SLUICE_DATA"] || ".sluice"),
    bindings: { ENVIRONMENT: environment, ...Object.fromEntries(passed) },
    ...(isOn("SLUICE_BROWSER", env["SLUICE_BROWSER"]) ? { browser: { chromium: env["CHROMIUM"] ?? "" } } : {}),
    logToTerminal: env["SLUICE_LOG"] === "terminal",
  }
}

function isOn(name: string, text = ""): boolean {
  if (!["", "0", "1"].includes(text)) throw new Trouble(`${name} is "${text}": give 1 for yes, 0 for no`)
  return text === "1"
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return 8787
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new Trouble(`PORT is "${text}": give a number from 0 to 65535 (0 picks a free port)`)
  return port
}
