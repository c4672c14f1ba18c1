import { test } from "vitest"
import { agent, flow, step, world } from "/work/main/test/engine/memory-catalog.ts"
const MIB = 1_000_000
const fill = (make: (i: number) => [string, string]) => { const out: Record<string,string> = {}; let n = 0; for (let i = 0; n < MIB; i++) { const [k, v] = make(i); out[k] = v; n += k.length + v.length + 10 } return out }
const half = (o: Record<string,string>) => Object.fromEntries(Object.entries(o).slice(0, Object.keys(o).length / 2))
const skills = fill((i) => [`s${i}/SKILL.md`, `---\nname: s${i}\ndescription: d\n---\n`])
const agents = fill((i) => [`a${i}.md`, `---\nname: a${i}\ndescription: d\nmodel: x\ntools: read\n---\nx\n`])
const flows = fill((i) => [`f${i}.yaml`, `name: f${i}\ndescription: d\nsteps: [{id: a, type: agent, agent: a1}]\n`])
const refs = fill((i) => [`f${i}.yaml`, `name: f${i}\ndescription: d\nsteps: [{id: a, type: flow-ref, flow: f${i + 1}}]\n`])
const code = fill((i) => [`f/s${i}.js`, `export default ()=>({})\n`])
const empties = fill((i) => [`s/${i}`, ``])
for (const [name, bundle] of Object.entries({ skills: { skills }, agents: { agents }, both: { skills: half(skills), agents: half(agents) }, flows: { agents: half(agents), flows: half(flows) }, refs: { flows: refs }, code: { code }, empties: { skills: empties } }))
  test(name, async () => {
    const { catalog } = world()
    const t = process.cpuUsage()
    const r = await catalog.replace(bundle)
    const u = process.cpuUsage(t)
    console.log(name, Object.keys(Object.values(bundle)[0] ?? {}).length, r.ok, Object.keys(r.diagnostics).length, Math.round((u.user + u.system) / 1000), "ms")
    const t2 = process.cpuUsage()
    await catalog.files()
    const u2 = process.cpuUsage(t2)
    console.log("  files", Math.round((u2.user + u2.system) / 1000))
    const t3 = process.cpuUsage()
    await catalog.packages.put("p", { version: "1", ...bundle })
    const u3 = process.cpuUsage(t3)
    console.log("  package", Math.round((u3.user + u3.system) / 1000))
  }, 300_000)
