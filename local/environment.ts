// Reads the environment of a server on this machine: `local`, with publicly known keys [N5], or any other, such as `production`, with only
// its own keys. ENVIRONMENT and SLUICE_ENVIRONMENT are two names of this setting.

import { Trouble } from "./trouble.ts"

export const LOCAL = "local"

type Variables = Readonly<Record<string, string | undefined>>

/** Exit code of a setting that is wrong. */
const WRONG = 2

const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** The secrets without which nothing but `local` may serve, and the fewest characters that keep one from being guessed. */
const OWN_KEYS = ["VAULT_KEY", "ADMIN_KEY"] as const
export const SHORTEST_KEY = 32
const LONGEST_KEY = 1_024

export function environmentOf(env: Variables): string {
  const [one, other] = [env["ENVIRONMENT"] || undefined, env["SLUICE_ENVIRONMENT"] || undefined]
  if (one !== undefined && other !== undefined && one !== other)
    throw new Trouble(
      `ENVIRONMENT is "${one}" and SLUICE_ENVIRONMENT is "${other}", but they are the same setting: set only one of them`,
      WRONG,
    )
  const name = one ?? other ?? LOCAL
  if (!NAME.test(name))
    throw new Trouble(`ENVIRONMENT is "${name}": write local, production, or another name of lowercase letters, digits, - and _`, WRONG)
  return name
}

/** Throws Trouble if the environment is not `local` and the server would have no keys of its own, or keys that can be guessed. */
export function checkOwnKeys(environment: string, env: Variables): void {
  if (environment === LOCAL) return
  const faults = OWN_KEYS.flatMap((name) => {
    const fault = keyFault(env[name] ?? "")
    return fault === undefined ? [] : [`${name} ${fault}`]
  })
  if (faults.length > 0) throw new Trouble(`${faults.join(", and ")}: ${needed(environment)}`, WRONG)
  if (env["VAULT_KEY"] === env["ADMIN_KEY"])
    throw new Trouble(`VAULT_KEY and ADMIN_KEY are the same, so anyone with one has the other: ${needed(environment)}`, WRONG)
}

function keyFault(key: string): string | undefined {
  if (key === "") return "is not set"
  if (key !== key.trim()) return "begins or ends with a space or a line break"
  if (key.length < SHORTEST_KEY) return `has ${key.length} of at least ${SHORTEST_KEY} characters`
  if (key.length > LONGEST_KEY) return `has ${key.length} of at most ${LONGEST_KEY} characters`
  if (new Set(key).size < FEWEST_SIGNS) return `has only ${new Set(key).size} different characters`
  return isThoughtUp(key) ? "is an example or a pattern, not made at random" : undefined
}
/** 32 random hexadecimal digits have about 14 different ones: a key with fewer than this was not made at random. */
const FEWEST_SIGNS = 8

/** Words of examples and of people. 32 random characters hold one of them less than once in a million times. */
const WORDS = /change.?me|example|password|passphrase|placeholder|replace.?me|secret|sluice|your.?key|1234567|qwerty|abcdefg/i

function isThoughtUp(key: string): boolean {
  if (WORDS.test(key)) return true
  for (let period = 1; period <= key.length / 2; period++)
    if (key === key.slice(0, period).repeat(key.length).slice(0, key.length)) return true
  // Neighbors in the alphabet, as in 0123456789…: by chance one in ten.
  const steps = Array.from(key.slice(1), (sign, i) => Math.abs(sign.charCodeAt(0) - key.charCodeAt(i)))
  return steps.filter((step) => step <= 1).length > steps.length / 2
}

const needed = (environment: string): string =>
  `the environment ${environment} has no publicly known keys and needs its own, made with \`openssl rand -base64 32\`, in the variable or in a file that VAULT_KEY_FILE or ADMIN_KEY_FILE names, and kept elsewhere too`

/** Throws Trouble outside `local`, for commands that serve only with the development keys. */
export function mustBeLocal(what: string, env: Variables): void {
  const environment = environmentOf(env)
  if (environment !== LOCAL)
    throw new Trouble(
      `${what} serves with publicly known keys, and the environment is ${environment}: unset ENVIRONMENT and SLUICE_ENVIRONMENT, or serve with npm run serve`,
      WRONG,
    )
}
