// Derives the wrangler configuration of a separate instance [N2] from the project's wrangler.toml: the same code and settings, its own
// Worker, and its own storage, which its first deploy creates. Also derives the dispatcher's configuration.
//
// A binding that two instances would share is refused by name, so that adding a line to wrangler.toml never shares anything by accident.

import { defined } from "../src/core/defined.ts"
import { bindingOf, workerOf } from "../src/core/instance-name.ts"

type Raw = Readonly<Record<string, unknown>>
type Config = Record<string, unknown>

export interface Own {
  /** The instance's public URL, used in every address that it hands out. */
  readonly url?: string
  /** In a namespace only a dispatcher reaches it, so it believes the address that the dispatcher says [N2]. */
  readonly dispatched?: boolean
  /** The permanent location of all its data [N1]. */
  readonly jurisdiction?: "eu" | "us"
}

/** Settings unrelated to storage, copied unchanged. */
const PLAIN = [
  "compatibility_date",
  "compatibility_flags",
  "find_additional_modules",
  "rules",
  "upload_source_maps",
  "migrations",
  "observability",
  "limits",
  "placement",
  "ai",
  "browser",
  "worker_loaders",
  "logpush",
]
/** Settings that are derived below or left out of an instance. */
const READ = ["name", "main", "vars", "durable_objects", "kv_namespaces", "r2_buckets", "analytics_engine_datasets", "assets", "$schema"]

/** Lines of wrangler.toml that a separate instance cannot have, each with the reason. */
export function faultsOf(raw: Raw): string[] {
  const strange = Object.keys(raw).filter((key) => !PLAIN.includes(key) && !READ.includes(key))
  const borrowed = list(part(raw, "durable_objects")["bindings"]).filter((binding) => "script_name" in binding)
  return [
    ...strange.map(
      (key) =>
        `"${key}" names something that all instances would share: leave it out of wrangler.toml, and add it to the instances that may have it`,
    ),
    ...borrowed.map((binding) => `the Durable Object ${String(binding["name"])} is another Worker's (script_name)`),
  ]
}

export function instanceConfig(raw: Raw, name: string, { url, dispatched, jurisdiction }: Own = {}): Config {
  const vars = {
    ...part(raw, "vars"),
    ENVIRONMENT: "production",
    ...(url === undefined ? {} : { PUBLIC_URL: url, ...neighbors(name, url, part(raw, "vars")) }),
    ...(dispatched === true ? { DISPATCHED: "yes" } : {}),
    ...defined({ JURISDICTION: jurisdiction }),
  }
  // It needs none of the project's buckets in jurisdictions: its only bucket is in its own jurisdiction.
  const buckets = list(raw["r2_buckets"]).filter((bucket) => jurisdiction === undefined || !("jurisdiction" in bucket))
  const datasets = list(raw["analytics_engine_datasets"])
  return {
    name: workerOf(name),
    main: "modules/index.mjs",
    ...Object.fromEntries(PLAIN.filter((key) => key in raw).map((key) => [key, raw[key]])),
    // The same files for every instance, seen from dist/tenants/NAME.
    ...("assets" in raw ? { assets: { ...part(raw, "assets"), directory: "../../assets" } } : {}),
    vars,
    durable_objects: raw["durable_objects"],
    // Without ids and names: wrangler creates them at the first deploy and names them after the Worker.
    kv_namespaces: list(raw["kv_namespaces"]).map(({ binding }) => ({ binding })),
    r2_buckets: buckets.map(({ binding, jurisdiction: own }) => ({
      binding,
      ...(jurisdiction === undefined && own === undefined ? {} : { jurisdiction: jurisdiction ?? own }),
    })),
    ...(datasets.length === 0
      ? {}
      : { analytics_engine_datasets: datasets.map(({ binding }) => ({ binding, dataset: workerOf(name).replaceAll("-", "_") })) }),
  }
}

/** [T21] Behind a dispatcher, `NAME.DOMAIN` has the other instances beside it: nothing may call them. */
function neighbors(name: string, url: string, vars: Raw): Config {
  const host = URL.canParse(url) ? new URL(url).hostname : ""
  if (!host.startsWith(`${name}.`)) return {}
  const closed = typeof vars["CLOSED_HOSTS"] === "string" ? [vars["CLOSED_HOSTS"]] : []
  return { CLOSED_HOSTS: [...closed, host.slice(name.length + 1)].join(",") }
}

export interface Dispatched {
  /** `NAME.DOMAIN` is the instance NAME. */
  readonly domain?: string
  /** Instances by name, each reached by a service binding. */
  readonly instances?: readonly string[]
  /** A Workers for Platforms namespace with the instances. */
  readonly namespace?: string
}

export function dispatcherConfig(raw: Raw, { domain, instances = [], namespace }: Dispatched): Config {
  return {
    name: workerOf("dispatcher"),
    main: "index.mjs",
    compatibility_date: raw["compatibility_date"],
    ...("observability" in raw ? { observability: raw["observability"] } : {}),
    vars: defined({ DOMAIN: domain }),
    ...(domain === undefined ? {} : { routes: [{ pattern: `*.${domain}/*`, zone_name: domain }] }),
    ...(instances.length === 0 ? {} : { services: instances.map((name) => ({ binding: bindingOf(name), service: workerOf(name) })) }),
    ...(namespace === undefined ? {} : { dispatch_namespaces: [{ binding: "INSTANCES", namespace }] }),
  }
}

const part = (raw: Raw, key: string): Raw => {
  const value = raw[key]
  return typeof value === "object" && value !== null ? { ...value } : {}
}
const list = (value: unknown): Raw[] =>
  Array.isArray(value) ? value.flatMap((item: unknown) => (typeof item === "object" && item !== null ? [{ ...item }] : [])) : []
