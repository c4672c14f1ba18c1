// The local server: the built Worker in workerd, started by the miniflare library, with all data in one folder.
//
// Crash-only: closing kills workerd, which is safe because every acknowledged change is in the journal [J14]. Requests reach the
// Worker by its own socket, not through miniflare's entry Worker: 11,800 hello requests per second instead of 2,900 on two cores.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { MiniflareOptions } from "miniflare"
import { defined } from "../src/core/defined.ts"
import { logText } from "../src/core/secrets/log-text.ts"
import { Redactor } from "../src/core/secrets/redact.ts"
import { chromiumOf, startBrowsers, SECRET_HEADER, type LocalBrowsers } from "./browser.ts"
import { ASSETS } from "./assets.ts"
import { WORKER } from "./build.ts"
import { claimDataFolder, OWNER } from "./data-folder.ts"
import { DiskReserve } from "./disk-reserve.ts"
import { LogFile } from "./log-file.ts"
import { Log, LogLevel, Miniflare } from "./miniflare.ts"
import { endSoftly } from "./processes.ts"
import { RuntimeWatch } from "./runtime-watch.ts"
import { SECRETS } from "./secret-files.ts"
import type { Settings } from "./settings.ts"
import { Trouble } from "./trouble.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const NAME = "sluice"
/** In the data folder. */
const RESERVE = "reserve"
/** In there: the Worker looks for it (cloudflare/worker/launcher-word.ts), at most once a second. */
const STOPPING = "stopping"
const HEARD_WITHIN_MS = 1_200
/** Binding → class. */
const OBJECTS = { RUN: "RunObject", TENANT: "TenantObject", MEMORY: "MemoryObject", DIRECTORY: "DirectoryObject" }

/** Turns off location lookup, telemetry and the Worker registry: a local server contacts no one on its own. */
export const ALONE = { cf: false, telemetry: { enabled: false }, enableDevRegistry: false, log: new Log(LogLevel.WARN) } as const

/** Converts variables to the form that miniflare takes. */
export const textsOf = (variables: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, { type: "text", value } as const]))

export interface Server {
  readonly url: string
  /** The data folder, absolute. */
  readonly data: string
  /** Orphaned workerd processes of a killed launcher that this start ended. */
  readonly ended: readonly number[]
  /** Number of open browsers. */
  browsers(): number
  /** Settles when the runtime is gone for good, with the reason: nothing is served any longer. */
  readonly lost: Promise<string>
  /** Ends without haste: new requests are refused, those under way have `ms` to end. Then closes. */
  stop(ms: number): Promise<void>
  close(): Promise<void>
}

/** Starts the Worker in `dist/worker.js` (or `worker`). Resolves once it responds; throws Trouble for faults that a person can fix. */
export async function startServer(settings: Settings, worker: string = WORKER): Promise<Server> {
  const script = await readFile(path.resolve(root, worker), "utf8").catch(() => {
    throw new Trouble(`there is no ${worker}: run \`npm run build\` first`)
  })
  const folder = await claimDataFolder(settings.data)
  let runtime: Miniflare | undefined
  let browsers: LocalBrowsers | undefined
  let lose = (_why: string): void => undefined
  const lost = new Promise<string>((resolve) => (lose = resolve))
  try {
    const reserve = new DiskReserve(path.join(folder.path, RESERVE))
    await askForPort(settings)
    if (settings.browser) browsers = await browsersOf(settings, settings.browser.chromium, path.join(folder.path, "browsers"))
    const watch = new RuntimeWatch(lose)
    await rm(path.join(folder.path, RESERVE, STOPPING), { force: true })
    const noteRuntime = async (): Promise<void> => folder.note(Number((await directUrl(runtime)).port))
    runtime = new Miniflare(options(settings, script, folder.path, noteRuntime, browsers, watch))
    await runtime.ready
    await noteRuntime()
    const url = await directUrl(runtime)
    const started = runtime
    reserve.watch()
    const close = async (): Promise<void> => {
      await started.dispose()
      reserve.close()
      await browsers?.close()
      await folder.release()
    }
    return {
      url: url.origin,
      data: folder.path,
      ended: folder.ended,
      browsers: () => browsers?.count() ?? 0,
      lost,
      async stop(ms) {
        await writeFile(path.join(folder.path, RESERVE, STOPPING), "").catch(() => undefined)
        await pause(HEARD_WITHIN_MS)
        const ended = new Promise<void>((resolve) => {
          // `dispose` first: from then on nothing starts another runtime.
          watch.expectEnd(() => resolve(started.dispose().catch(() => undefined)))
        })
        // workerd then takes no more connections, and ends when those it has are done.
        const runtime = process.platform === "win32" ? undefined : folder.runtime()
        if (runtime !== undefined && endSoftly(runtime)) await Promise.race([ended, pause(ms)])
        await close()
      },
      close,
    }
  } catch (error) {
    await runtime?.dispose().catch(() => {})
    await browsers?.close()
    await folder.release()
    throw error
  }
}

function options(
  settings: Settings,
  script: string,
  home: string,
  onRestart: () => Promise<void>,
  browsers: LocalBrowsers | undefined,
  watch: RuntimeWatch,
): MiniflareOptions {
  const secrets = secretsOf(settings)
  const runtimeLog = settings.logToTerminal ? process.stdout : new LogFile(path.join(home, "server.log"))
  return {
    workers: [
      {
        config: {
          name: NAME,
          compatibilityDate: "2026-07-30",
          compatibilityFlags: ["nodejs_compat", "durable_object_io_tasks_prevent_eviction"],
          manifest: { mainModule: "worker.js", modules: { "worker.js": { type: "esm", contents: script } } },
          exports: Object.fromEntries(Object.values(OBJECTS).map((name) => [name, { type: "durable-object", storage: "sqlite" } as const])),
          env: {
            ...textsOf({ ...here(settings), ...settings.bindings }),
            ...Object.fromEntries(
              Object.entries(OBJECTS).map(([binding, exportName]) => [
                binding,
                { type: "durable-object", worker: NAME, exportName } as const,
              ]),
            ),
            CACHE: { type: "kv", id: "cache" },
            BLOBS: { type: "r2", name: "blobs" },
            LOADER: { type: "worker-loader" },
            // Stands in for static assets, without the router that a deployment has in front of the Worker.
            ASSETS: { type: "disk", path: path.join(root, ASSETS), writable: false },
            // Says whether the disk is nearly full.
            DISK: { type: "disk", path: path.join(home, RESERVE), writable: false },
            ...defined({ BROWSER: browsers && bound(browsers) }),
          },
        },
        dev: { unsafeDirectSockets: [{ host: settings.host, port: settings.port }], zone: zoneOf(settings) },
      },
    ],
    resourcePersistencePath: home,
    // miniflare's own entry: unused, so on loopback and any port.
    host: "127.0.0.1",
    port: 0,
    unsafeRuntimeEnv: { [OWNER]: home },
    unsafeHandleRuntimeRestart: onRestart,
    ...ALONE,
    log: watch,
    handleStructuredLogs: ({ message }) => void runtimeLog.write(`${runtimeLine(message, secrets)}\n`),
  }
}

/** What the runtime itself says, such as an uncaught error with its stack; the Worker's own lines are without secrets already. */
function runtimeLine(message: string, secrets: Redactor): string {
  const known = secrets.text(message)
  return known.startsWith('{"level":') ? known : logText(known)
}

const secretsOf = ({ bindings }: Settings): Redactor => new Redactor([["instance", SECRETS.flatMap((name) => bindings[name] ?? [])]])

async function browsersOf(settings: Settings, chromium: string, folder: string): Promise<LocalBrowsers> {
  // Removes profiles that a killed server left behind.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  return startBrowsers(chromiumOf(chromium), { privateHosts: privateHosts(settings), folder })
}

/** The service binding that replaces Browser Rendering. */
const bound = ({ address, secret }: LocalBrowsers) => ({
  type: "external" as const,
  address,
  http: { injectRequestHeaders: [{ name: SECRET_HEADER, value: secret }] },
})

const privateHosts = ({ bindings }: Settings): readonly string[] =>
  bindings["ENVIRONMENT"] === "local" ? (bindings["ALLOWED_PRIVATE_HOSTS"] ?? "").split(",").map((host) => host.trim().toLowerCase()) : []

/** Links made by runs point to this server unless PUBLIC_URL is set; port 0 gives no URL, since the port is not known yet. */
function here({ host, port }: Settings): { readonly PUBLIC_URL?: string } {
  if (port === 0) return {}
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return { PUBLIC_URL: `http://${name}:${port}` }
}

const pause = (ms: number): Promise<void> => new Promise((wake) => void setTimeout(wake, ms).unref())

/** What receivers read in the header `CF-Worker`: otherwise a name in example.com. */
function zoneOf({ bindings }: Settings): string {
  const own = bindings["PUBLIC_URL"] ?? ""
  return URL.canParse(own) ? new URL(own).hostname : "localhost"
}

async function directUrl(runtime: Miniflare | undefined): Promise<URL> {
  if (runtime === undefined) throw new Error("the runtime has not started yet")
  return runtime.unsafeGetDirectURL()
}

/** workerd reports a taken port with a stack trace; checking first gives a clear message. */
async function askForPort({ host, port }: Settings): Promise<void> {
  const probe = createServer()
  await new Promise<void>((free, no) => {
    probe.once("error", (error: NodeJS.ErrnoException) => no(portTrouble(error, host, port)))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => free()))
  })
}

function portTrouble(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new Trouble(
        `port ${port} on ${host} is used by another program: stop it, or choose another port: PORT=${port + 1} npm start (PORT=0 picks a free one)`,
      )
    case "EACCES":
      return new Trouble(`port ${port} on ${host} is not allowed for this user: choose one above 1023, for example PORT=8787`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Trouble(
        `HOST is "${host}", which is not an address of this machine: leave it unset for 127.0.0.1, or use 0.0.0.0 for every address`,
      )
    default:
      return error
  }
}
