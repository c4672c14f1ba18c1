// Defines a command: data for its help, its completion and its parsing, and one function.

import { Trouble } from "../local/trouble.ts"
import type { Context } from "./context.ts"

export interface Option {
  /** As commander reads it: `--task <text>`, `-y, --yes`. */
  readonly flags: string
  readonly says: string
  /** It may be given several times. */
  readonly many?: true
  readonly choices?: readonly string[]
  /** A former name, which scripts may still use: neither help nor completion has it. */
  readonly isOld?: true
}

export interface Command {
  /** `run`, or `hooks list` for a command of a group. */
  readonly name: string
  readonly says: string
  /** Of the first command of a group: what the group is about. */
  readonly group?: string
  /** As commander reads it: `<flow>`, `[files...]`. */
  readonly words?: readonly string[]
  readonly options?: readonly Option[]
  /** Without `sluice` in front. */
  readonly examples: readonly string[]
  /** It says things before it is done, and is done also if nobody reads on: `sluice apply | head -1`. */
  readonly whole?: true
  /** Here `--key` names something else, unless it has the form of an API key. */
  readonly ownKey?: true
  /** It asks no server, so it has no options that name one. */
  readonly offline?: true
  run(context: Context, words: Words, given: GivenOptions): Promise<number>
}

/** Tells an API key [H1] from any other text after `--key`. */
export const isApiKey = (text: string): boolean => /^sl_[a-z][a-z0-9-]*(?:_(?:eu|us))?_[0-9A-Za-z]{32,}$/.test(text)

/** The positional arguments; a missing one that is needed is refused before. */
export class Words {
  readonly #words: readonly (string | readonly string[] | undefined)[]

  constructor(words: readonly (string | readonly string[] | undefined)[]) {
    this.#words = words
  }
  text(at: number): string {
    return this.maybe(at) ?? ""
  }
  maybe(at: number): string | undefined {
    const word = this.#words[at]
    return typeof word === "string" ? word : undefined
  }
  list(at: number): readonly string[] {
    const word = this.#words[at]
    return typeof word === "object" ? word : []
  }
}

/** The options by their long name in camel case. */
export class GivenOptions {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }
  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === "string" ? value : undefined
  }
  list(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []
  }
  flag(name: string): boolean {
    return this.#values[name] === true
  }
  /** undefined if it was not given; so that a request says nothing the person did not say. */
  yes(name: string): true | undefined {
    return this.#values[name] === true ? true : undefined
  }
  number(name: string, least = 0): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least) throw new Trouble(`--${dashed(name)} must be a whole number of at least ${least}`, 2)
    return value
  }
}

const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
