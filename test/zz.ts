import { newTally, byChance } from "./budget/schedules.ts"
const [from,to,check]=[Number(process.argv[2]),Number(process.argv[3]),process.argv[4] as "before"]
for (let s=from;s<=to;s++) { const u=newTally(); const l=byChance(s,u,check); if(u.breaches.length||(check!=="before"&&!u.overshot)) { console.log(s,u.breaches, u.overshot, l.run.status, l.run.reason, l.world.atOnce, l.world.limit, l.world.day, JSON.stringify(l.run.budget).slice(0,600), l.run.pending, l.run.status, JSON.stringify(l.journal.slice(-3))) } }
