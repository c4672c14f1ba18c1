// The command line as commander parses it, made from the list of commands: every command has the same options for output and server.

import { Command as Parser, CommanderError, Option as Flag } from "commander"
import { VERSION } from "../src/engine/version.ts"
import { Trouble } from "../local/trouble.ts"
import type { Command } from "./command.ts"
import { GivenOptions, Words } from "./command.ts"
import { EXIT, EXIT_SAYS } from "./exit.ts"

const COLUMNS = 100

export interface Sinks {
  out(text: string): void
  err(text: string): void
}

/** `headings` are those of the help, each with its commands. `act` runs the command that was typed. */
export function programOf(
  headings: Readonly<Record<string, readonly Command[]>>,
  { out, err }: Sinks,
  act: (command: Command, words: Words, given: GivenOptions) => Promise<void>,
): Parser {
  const program = new Parser("sluice")
    .description("Agent flows on Cloudflare Workers: write them, try them, run them.")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(`sluice: ${oneLine(text)}\n`),
      // The same in a pipe, a narrow terminal and a test.
      getOutHelpWidth: () => COLUMNS,
      getErrHelpWidth: () => COLUMNS,
    })
    .exitOverride()
    .addHelpText("after", `\nExit codes: ${EXIT_SAYS.join(", ")}\n`)
  for (const [heading, commands] of Object.entries(headings)) for (const command of commands) add(program, heading, command, act)
  return program
}

function add(
  program: Parser,
  heading: string,
  command: Command,
  act: (command: Command, words: Words, given: GivenOptions) => Promise<void>,
): void {
  const [first = "", second] = command.name.split(" ")
  const parent = second === undefined ? program : groupOf(program, first, heading, command)
  const parser = parent.command(second ?? first).description(command.says)
  if (second === undefined) parser.helpGroup(heading)
  for (const word of command.words ?? []) parser.argument(word)
  for (const { flags, says, many, choices, isOld } of command.options ?? []) {
    const flag = new Flag(flags, says)
    if (isOld) flag.hideHelp()
    if (many) flag.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
    if (choices) flag.choices([...choices])
    parser.addOption(flag)
  }
  parser.addOption(new Flag("--json", "print JSON").helpGroup("Every command:"))
  if (!command.offline) for (const [flags, says] of SERVER) parser.addOption(new Flag(flags, says).helpGroup("Every command:"))
  const examples = command.examples.map((line) => `  $ sluice ${line}`)
  parser.addHelpText("after", `\nExamples:\n${examples.join("\n")}\n`)
  parser.action(async (...args: unknown[]) => {
    // commander adds the options and itself after the words.
    const words = args.slice(0, -2).map((word) => (typeof word === "string" ? word : Array.isArray(word) ? word.map(String) : undefined))
    await act(command, new Words(words), new GivenOptions(parser.opts()))
  })
}

const SERVER = [
  ["--url <url>", "the server's address (SLUICE_URL)"],
  ["--key <key>", "an API key (SLUICE_KEY)"],
  ["--profile <name>", "a server that `sluice login` keeps (SLUICE_PROFILE)"],
  ["--env <name>", "an environment of sluice.yaml: its server, and what differs there"],
] as const

function groupOf(program: Parser, name: string, heading: string, { group = name }: Command): Parser {
  const present = program.commands.find((one) => one.name() === name)
  if (present !== undefined) return present
  return program.command(name).description(group).helpGroup(heading).helpCommand(false)
}

const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ")

/** Help and version end with 0, everything else that commander refuses is a usage error. */
export function codeOf(error: CommanderError): number {
  return ["commander.helpDisplayed", "commander.help", "commander.version"].includes(error.code) ? EXIT.ok : EXIT.usage
}

/** commander exits through an error, which says whether it has printed something. */
export const isParsing = (error: unknown): error is CommanderError => error instanceof CommanderError

export const usage = (message: string): Trouble => new Trouble(message, EXIT.usage)
