// `access.bash.deny`: which commands a command line runs, as far as the scanner can tell.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { deniedCommand, simpleCommands } from "../../../../src/core/tool/policy/shell-commands.ts"

describe("simple commands", () => {
  test.each<[string, readonly string[]]>([
    ["rm -rf out", ["rm -rf out"]],
    ["ls; rm a", ["ls", "rm a"]],
    ["ls && rm a || rm b\nrm c & rm d", ["ls", "rm a", "rm b", "rm c", "rm d"]],
    ["a | rm x", ["a", "rm x"]],
    ["(cd x; rm y)", ["cd x", "rm y"]],
    ["FOO=1 BAR='x y' rm a", ["rm a"]],
    ["r''m \"a  b\" c\\ d", ["rm a  b c d"]],
    ["\\rm a", ["rm a"]],
    ["/bin/rm a", ["rm a"]],
    ["rm\\\n  a", ["rm a"]],
    ["2>/dev/null rm a > b < c", ["rm a"]],
    ["rm a &> b", ["rm a"]],
    ["echo 'rm x' \"rm y\"", ["echo rm x rm y"]],
    ["echo a # ; rm b", ["echo a"]],
    ["x=$(rm a)", ["rm a"]],
    ["{ rm a; }", ["rm a"]],
    ["! rm a", ["rm a"]],
    ["", []],
    ["   ;;; ", []],
  ])("[G7] %j", (line, commands) => expect(simpleCommands(line)).toEqual(commands))

  test.each([
    "echo $(rm a)",
    "echo `rm a`",
    'echo "is $(rm a) it"',
    'echo "`rm a`"',
    "cat <(rm a)",
    "for f in *; do rm a; done",
    "if true; then rm a; fi",
    "while rm a; do :; done",
    "f() { rm a; }; f",
    "cat <<EOF\nnothing\nEOF\nrm a",
    "ls | xargs -n 1 rm a",
    "env X=1 rm a",
    "timeout 5 rm a",
    "command rm a",
    "bash -c 'ls; rm a'",
    "sh -ec 'rm a'",
    'eval "rm a"',
    "find . -name x -exec rm a \\;",
    "echo $(echo $(rm a))",
    "$'rm' a",
    "$'\\x72m' a",
    "$'\\162\\u006d' a",
    "trap 'rm a' EXIT",
    "alias q='rm a'",
    '$"rm" a',
    '$"r"m a',
    'echo $"is $(rm a) it"',
    "cat <<EOF\nis $(rm a) it\nEOF",
    "cat <<-EOF\n\tis `rm a` it\n\tEOF",
    "cat <<A <<'B'\n$(rm a)\nA\n$(ls)\nB",
    "function f { rm a; }; f",
    "function f() { rm a; }",
    "function f\n{\nrm a; }",
    "time rm a",
    "time -p rm a",
    "! time -p -- rm a",
    "time { rm a; }",
    "coproc rm a",
    "coproc NAME { rm a; }",
    "coproc NAME (rm a)",
  ])("[G7] the rm is found in %j", (line) => expect(deniedCommand(["rm *"], line)).toMatch(/^rm a/))

  test.each([
    "echo rm a",
    "echo 'rm a'",
    "cat <<EOF\nrm a\nEOF",
    "cat <<'EOF'\n$(rm a)\nEOF",
    "cat <<\\EOF\n`rm a`\nEOF",
    "cat <<EOF\n\\$(rm a)\nEOF",
    "function rm { ls; }",
    "grep 'rm *' x",
    "rmdir a",
    "# rm a",
    "arm a",
    'echo "\\$(rm a)"',
  ])("[G7] there is no such command in %j", (line) => expect(deniedCommand(["rm *"], line)).toBeUndefined())

  test.each(["ls | xargs rm", "ls | xargs -0 rm", "find . -print0 | xargs -0 -r rm", "ls | xargs -I{} bash -c 'rm {}'", "alias q=rm"])(
    "[G7] a command that gets its arguments elsewhere has some: %j",
    (line) => expect(deniedCommand(["rm *"], line)).toMatch(/^rm /),
  )

  test.each(["echo $'rm a'", "trap - EXIT", "trap", "alias", "alias ls='ls -l'", "$'\\q' a", "$'\\U7fffffff'", "$'rm"])(
    "[G7] nothing is denied in %j",
    (line) => expect(deniedCommand(["rm *"], line)).toBeUndefined(),
  )

  test("[G7] a glob covers the whole command; one without a star allows any arguments", () => {
    expect(deniedCommand(["git push*"], "git push --force")).toBe("git push --force")
    expect(deniedCommand(["git push"], "git  push   origin")).toBe("git push origin")
    expect(deniedCommand(["git push"], "git pushy")).toBeUndefined()
    expect(deniedCommand(["rm"], "rm")).toBe("rm")
    expect(deniedCommand(["* --force"], "ls; git push --force")).toBe("git push --force")
    expect(deniedCommand([], "rm a")).toBeUndefined()
  })

  test("[G10] a line that is too deep or too long to scan is an error, not a pass", () => {
    expect(() => simpleCommands("$(".repeat(50))).toThrow(/nested too deep/)
    expect(() => simpleCommands("a;".repeat(3_000))).toThrow(/more than 2000/)
  })

  test("[G7] scanning ends for any text", () => {
    const piece = fc.constantFrom(
      "rm a",
      "'",
      '"',
      "`",
      "$(",
      ")",
      "(",
      "\\",
      "\n",
      ";",
      "|",
      "&",
      "<<E",
      "E",
      "#",
      " ",
      ">",
      "x=",
      "${",
      "}",
      "bash -c ",
      "eval ",
      "xargs ",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        try {
          simpleCommands(pieces.join(""))
        } catch (refusal) {
          expect(String(refusal)).toMatch(/nested too deep|more than/)
        }
      }),
      { numRuns: 3_000 },
    )
  })
})
