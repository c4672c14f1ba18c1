// Completion scripts for bash, zsh and fish, made from the list of commands. Pure.

import type { Command } from "./command.ts"

export const SHELLS = ["bash", "zsh", "fish"] as const
export type Shell = (typeof SHELLS)[number]

const EVERY = ["--json", "--help"]
const SERVER = ["--url", "--key", "--profile", "--env"]

export function completion(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case "bash":
      return bash(commands)
    case "zsh":
      return zsh(commands)
    case "fish":
      return fish(commands)
  }
}

const optionsOf = ({ options = [], offline }: Command): string[] => [
  ...options.flatMap(({ flags, isOld }) => (isOld === true ? [] : (flags.match(/--[a-z-]+/g) ?? []))),
  ...EVERY,
  ...(offline === true ? [] : SERVER),
]
const firsts = (commands: readonly Command[]): string[] => [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))]
const seconds = (commands: readonly Command[], first: string): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
const groups = (commands: readonly Command[]): string[] => firsts(commands).filter((name) => seconds(commands, name).length > 0)

/** `  run) words="…" ;;` for every command and group. */
function cases(commands: readonly Command[]): string {
  const lines = [
    ...groups(commands).map((name) => `    "${name}") words="${seconds(commands, name).join(" ")}" ;;`),
    ...commands.map((command) => `    "${command.name}") words="${optionsOf(command).join(" ")}" ;;`),
  ]
  return lines.join("\n")
}

const bash = (
  commands: readonly Command[],
): string => `# sluice completion bash > /etc/bash_completion.d/sluice, or: source <(sluice completion bash)
_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words="${firsts(commands).join(" ")}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case " ${groups(commands).join(" ")} " in
      *" $path "*) path="$path $word"; break ;;
    esac
    [ -n "$path" ] && break
    path="$word"
  done
  case "$path" in
${cases(commands)}
  esac
  case "$path$current" in
    validate[!-]*|validate|apply|plan) COMPREPLY=($(compgen -f -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _sluice sluice
`

const quoted = (text: string): string => text.replaceAll("'", "'\\''")

const zsh = (commands: readonly Command[]): string => `#compdef sluice
# sluice completion zsh > "\${fpath[1]}/_sluice", or: source <(sluice completion zsh)
_sluice() {
  local -a known
  # zsh ties a variable named path to PATH.
  local typed="" word words_line="${firsts(commands).join(" ")}"
  if (( CURRENT == 2 )); then
    known=(
${firsts(commands)
  .map((name) => `      '${name}:${quoted(commands.find((one) => one.name === name)?.says ?? name).replaceAll(":", "\\:")}'`)
  .join("\n")}
    )
    _describe command known
    return
  fi
  typed="\${words[2]}"
  case " ${groups(commands).join(" ")} " in
    *" $typed "*) (( CURRENT > 3 )) && typed="$typed \${words[3]}" ;;
  esac
  case "$typed" in
${cases(commands).replaceAll("words=", "words_line=")}
  esac
  compadd -- \${(z)words_line}
  _files
}
compdef _sluice sluice
`

const fish = (commands: readonly Command[]): string => {
  const first = firsts(commands).map(
    (name) =>
      `complete -c sluice -f -n __fish_use_subcommand -a ${name} -d '${fished(commands.find((one) => one.name === name)?.says ?? name)}'`,
  )
  const second = groups(commands).flatMap((group) =>
    seconds(commands, group).map((name) => {
      const says = commands.find((one) => one.name === `${group} ${name}`)?.says ?? name
      const under = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${seconds(commands, group).join(" ")}`
      return `complete -c sluice -f -n '${under}' -a ${name} -d '${fished(says)}'`
    }),
  )
  // `flows show` has other options than `show`.
  const alone = `; and not __fish_seen_subcommand_from ${groups(commands).join(" ")}`
  const options = commands.flatMap((command) => {
    const words = command.name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`)
    const when = `${words.join("; and ")}${words.length === 1 ? alone : ""}`
    return optionsOf(command).map((option) => `complete -c sluice -n '${when}' -l ${option.slice(2)}`)
  })
  return `# sluice completion fish > ~/.config/fish/completions/sluice.fish\n${[...first, ...second, ...options].join("\n")}\n`
}
const fished = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")
