// For now: node test/sim/try.ts FROM TO [v]
import { takeGlobals } from "./platform/globals.ts"
import { codeOf } from "./platform/machines.ts"
import { play } from "./play.ts"
const real = performance
const now = real.now.bind(real)
const code = await codeOf()
takeGlobals()
process.on("unhandledRejection", (e) => {
  if (process.argv[4]) process.stderr.write("UNHANDLED " + String((e as any)?.stack ?? e) + "\n")
})
const err = console.error
if (process.argv[4] !== "v") {
  console.error = () => {}
  console.log = console.log
}
const from = Number(process.argv[2] ?? 1),
  to = Number(process.argv[3] ?? from)
for (let seed = from; seed <= to; seed++) {
  const t0 = now()
  const cpu = process.cpuUsage()
  const p = await play({
    code,
    seed,
    ...(process.argv[4] === "v" ? { watch: (e: any) => process.stderr.write(`${e.at.toFixed(1)} ${e.label}\n`) } : {}),
  })
  const u = process.cpuUsage(cpu)
  process.stdout.write(
    `${seed}: ${p.runs} runs ${p.events} events ${p.happened.length} faults ${((u.user + u.system) / 1000) | 0} ms cpu ${p.journals.slice(0, 8)} ${p.findings.length ? "\n  " + p.findings.slice(0, 8).join("\n  ") : ""}\n`,
  )
}
