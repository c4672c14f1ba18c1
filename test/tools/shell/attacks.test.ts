// Command lines written to hold up the server [T6, T20]: each ends at its time limit or before it with a clear sentence, and lets others
// have their turn all along. What it computes is counted in steps, so that a busy machine fails nothing.

import { beforeAll, describe, expect, test, vi } from "vitest"
import { computed, SLICE_STEPS, STRETCH_STEPS } from "../../../src/tools/shell/shell-meter.ts"
import { amount } from "../../support/amount.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

/** Steps that a line may hold the thread at one go: it rests where it can after a slice, and ends where it cannot after a stretch. */
const MOST_AT_ONCE = SLICE_STEPS + STRETCH_STEPS + 200_000
/** A line that does not end by itself is stopped after so many steps, or after so many turns that others had. */
const ENOUGH_STEPS = amount(9_000_000, 1_500_000)
const ENOUGH_TURNS = amount(400, 100)

/** Runs the line; what it said, and how many steps others waited for their turn at most. */
async function attack(command: string): Promise<{ said: string; longest: number }> {
  const bench = await ToolBench.holding({})
  const stop = new AbortController()
  const begun = computed.steps
  let turns = 0
  const watch = setInterval(() => {
    if (computed.steps - begun > ENOUGH_STEPS || ++turns > ENOUGH_TURNS) stop.abort()
  }, 0)
  computed.longest = 0
  try {
    return { said: said(await bench.call("bash", { command, timeout: 280_000 }, stop.signal)), longest: computed.longest }
  } finally {
    clearInterval(watch)
  }
}

const doublings = Array.from({ length: 24 }, (_, i) => `v${i}='v${i + 1}+v${i + 1}';`).join("")
const LONG = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11; do x=$x$x; done;"
const FILES = "mkdir d; for i in $(seq 1 200); do echo x > d/f$i; done;"

/** What it says when it did not end by itself. */
const ENDED = /[Mm]aximum|was canceled|computes for too long|limit exceeded|too many|nested too deeply|call stack/

describe("a hostile command line", () => {
  // The first call loads the library.
  beforeAll(() => attack("echo a | sed s/a/b/ | awk 1 | jq -R . | grep b | sort"))

  const LINES = [
    `${doublings}v24=1;echo $((v0))`,
    "for ((i=0;;i++)); do ((x+=i*i%7)); done",
    `echo $((${"(".repeat(9_000)}1${")".repeat(9_000)}))`,
    `${LONG} while :; do [[ $x =~ (a+)+b ]]; done`,
    `${LONG} [[ $x =~ (.*)(.*)(.*)(.*)(.*)(.*)b ]]; [[ $x =~ (a|aa)+(a|aa)+(a|aa)+$ ]]`,
    `${LONG} while :; do y=\${x//a/bb}; done`,
    `${LONG} while :; do y=\${x/%*a*a*b/c}; z=\${x##*b}; done`,
    `shopt -s extglob; ${LONG} while :; do [[ $x == *(a|+(a|aa))b ]]; done`,
    `${LONG} while :; do echo "$x" | sed -E 's/(.*)(.*)([0-9]+)x/\\3/g'; done > /dev/null`,
    "echo x | sed ':a;s/x/xx/;ta'",
    "jq -n 'def f: if . > 30 then 1 else (.+1|f) + (.+1|f) end; 0|f'",
    "while :; do jq -n '[range(20000)]|add' > /dev/null; done",
    'jq -n \'("a"*90000) as $s | [range(200)] | map($s | test("(a+)+b"))\'',
    "awk 'function f(n) { return n < 2 ? n : f(n-1) + f(n-2) } BEGIN { print f(40) }'",
    'awk \'BEGIN { s = "abc"; for (;;) { gsub(/b/, "bb", s) } }\'',
    "while :; do seq 1 20000 | sort -r > /dev/null; done",
    "seq 1 1900 > a; seq 2001 3900 | sort -r > b; while :; do diff a b > /dev/null; done",
    `${FILES} while :; do find . -name '*f*[0-9]*1*' -exec sh -c 'seq 1 1000 | wc -l' \\; > /dev/null; done`,
    "seq 1 90000 | xargs -n1 echo > /dev/null",
    "while :; do echo y; done",
    "while :; do printf '%1000000s' x; done > /dev/null",
    `printf '%${"0".repeat(90_000)}x' 1 | wc -c; while :; do :; done`,
    "while :; do echo {1..9000}{a,b} > /dev/null; done",
    "shopt -s globstar; mkdir -p a/a/a/a; for i in $(seq 1 300); do touch a/$i a/a/$i; done; while :; do echo **/**/**/*x; done",
    "f() { f | f; f; }; while :; do f; done",
    "while :; do x=$(echo $(echo $(echo a))); done",
    "while :; do cat <(seq 1 1000) <(seq 1 1000) > /dev/null; done",
    `n='\n'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do n=$n$n; done; while :; do y=$(printf '%sx' "$n"); done`,
    `${LONG} for i in 1 2 3 4 5 6; do x=$x$x; done; while :; do : \${#x} \${x:5:9} \${x^^}; done`,
    'a=($(seq 1 50000)); while :; do b=("${a[@]}"); c="${b[*]}"; done',
    `${LONG} while :; do echo "$x" | tr a b | base64 | base64 -d | rev | md5sum; done > /dev/null`,
    `${LONG} for i in 1 2 3 4 5 6; do x=$x$x; done; while :; do echo "$x" | gzip -9 | gunzip | wc -c; done > /dev/null`,
    `${FILES} while :; do rg '(.*)(.*)x' . > /dev/null; tree > /dev/null; ls -R > /dev/null; done`,
    `${LONG} while :; do expr "$x" : '\\(a*\\)*b'; done > /dev/null`,
    `echo ${"a ".repeat(40_000)} | wc -w; while :; do :; done`,
    `${":;".repeat(40_000)}while :; do :; done`,
    `[[ ${"! ".repeat(40_000)}a ]]`,
    `${"(".repeat(5_000)}echo x${")".repeat(5_000)}`,
    "while :; do read -r a b c <<< 'x y z'; IFS=, read -ra d <<< \"$(seq -s, 1 5000)\"; done",
    "timeout 100 sh -c 'while :; do timeout 10 sleep 0.001; done'",
    "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >> f; done",
    "sleep 100",
  ]
  test.each(LINES.map((line) => [line.slice(0, 90), line] as const))("[T6] %s", async (_name, command) => {
    const { said: answer, longest } = await attack(command)
    expect(answer).toMatch(ENDED)
    expect(longest).toBeLessThan(MOST_AT_ONCE)
  })

  test("[T6] [N4] a file that it writes costs what storing it will cost, and many are stored a few at a time", async () => {
    const files = amount(990, 240)
    const bench = new ToolBench()
    const put = bench.blobs.put.bind(bench.blobs)
    let turns = 0
    let timer = setTimeout(function again() {
      turns++
      timer = setTimeout(again, 0)
    })
    const atOnce: number[] = []
    let [since, last] = [0, -1]
    bench.blobs.put = (body) => {
      since = turns === last ? since + 1 : 1
      last = turns
      atOnce.push(since)
      return put(body)
    }
    const begun = computed.steps
    computed.longest = 0
    const outcome = await bench.call("bash", {
      command: `mkdir d; for ((i=0;i<${files};i++)); do echo $i > d/f$i; done; echo more >> d/f1; ls d | wc -l`,
    })
    clearTimeout(timer)
    expect(said(outcome)).toBe(String(files))
    expect(computed.steps - begun).toBeGreaterThan(files * 50_000)
    expect(computed.longest).toBeLessThan(MOST_AT_ONCE)
    expect(atOnce).toHaveLength(files)
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(12)
  })

  test("[T6] computes no more once its time is up", async () => {
    await attack("while :; do awk 'BEGIN { for (i = 0; i < 100000; i++) n += i }'; done")
    const turns = async (): Promise<number> => {
      for (let turn = 0; turn < 30; turn++) await new Promise((resume) => setTimeout(resume, 0))
      return computed.steps
    }
    // What was under way ends at its next step.
    const ended = await turns()
    expect(await turns()).toBe(ended)
  })

  test("[T6] several at once share the time that one would have", async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => attack("while :; do seq 1 500 | sort -n; done > /dev/null")))
    for (const one of all) expect([one.said, one.longest < MOST_AT_ONCE]).toEqual(["ERROR bash was canceled", true])
  })

  test("[T20] a busy machine changes no answer: what ends a stretch is the same number of steps whenever it rested before", async () => {
    const answers = new Set<string>()
    for (const before of ["", "seq 1 3000 | sort -n > /dev/null; ", "seq 1 20000 | sort -n > /dev/null; "])
      for (const ms of [0, 60]) {
        const bench = await ToolBench.holding({})
        // Each look finds that the clock has gone on by so much.
        let now = 0
        const held = vi.spyOn(Date, "now").mockImplementation(() => (now += ms))
        const outcome = await bench.call("bash", { command: `${before}echo x | sed ':a;s/x/xx/;ta'` })
        held.mockRestore()
        answers.add(said(outcome))
      }
    expect([...answers]).toHaveLength(1)
  })

  test("[T20] what takes too long at one go ends the script, and what was said and written before stays", async () => {
    const bench = await ToolBench.holding({})
    const outcome = await bench.call("bash", { command: "echo before | tee kept.txt; echo x | sed ':a;s/x/xx/;ta'; echo after" })
    expect(said(outcome)).toMatch(
      /^before\n\[stderr\]\nbash: this computes for too long without a pause: give it less at a time.*\n\[exit code 126\]$/,
    )
    expect(await bench.text("kept.txt")).toBe("before\n")
  })

  test("[T6] grep, find and glob give others their turn too", async () => {
    const files = Object.fromEntries(
      Array.from({ length: amount(400, 100) }, (_, i) => [`${"a".repeat(150)}/${"a".repeat(90)}${i}.txt`, "a".repeat(3_000)]),
    )
    const bench = await ToolBench.holding(files)
    for (const [name, args] of [
      ["grep", { pattern: "(a|aa)*(a|b|aa){40}(a*b?){60}c" }],
      ["grep", { pattern: "x", glob: "{a,b}{a,b}{a,b}*a*a*a*a*a*b{a,b}{a,b}" }],
      ["find", { pattern: "**/*a*a*a*a*a*a*a*a*a*a*a*{a,b}{a,b}{a,b}{a,b}{a,b}b" }],
      ["glob", { pattern: `${"*a".repeat(200)}b` }],
    ] as const) {
      computed.longest = 0
      await bench.call(name, args)
      expect([name, computed.longest < MOST_AT_ONCE]).toEqual([name, true])
    }
  })

  test("[T20] ordinary work on large files is done", async () => {
    const numbers = Array.from({ length: amount(40_000, 10_000) }, (_, i) => i)
    const text = numbers.map((i) => `line ${i}\n`).join("")
    const count = (form: RegExp): string => String(numbers.filter((i) => form.test(String(i))).length)
    const last = numbers.length - 1
    const bench = await ToolBench.holding({ "big.txt": text })
    const lines: string[] = []
    for (const command of [
      "wc -l big.txt",
      "sort -r big.txt | head -1",
      "sed 's/line/row/' big.txt | tail -1",
      "grep -c 99 big.txt",
      "grep -cE '(1|2)+9' big.txt",
      "awk '{ n += $2 } END { print n }' big.txt",
      "gzip -c big.txt | gunzip | tail -1",
      "sed 's/^line 5$/changed/' big.txt | head -1000 > new.txt; head -1000 big.txt | diff - new.txt | grep -c changed",
      "x=$(cat big.txt); echo ${#x}",
    ])
      lines.push(said(await bench.call("bash", { command, timeout: 120_000 })))
    expect(lines).toEqual([
      `${numbers.length} big.txt`,
      "line 9999",
      `row ${last}`,
      count(/99/),
      count(/[12]9/),
      String((last * numbers.length) / 2),
      `line ${last}`,
      "1",
      String(text.length - 1),
    ])
  })
})
