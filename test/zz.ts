import { newTally, atEveryAwait } from "./budget/schedules.ts"
import { worldOf } from "./budget/world.ts"
for (let s=1;s<=40;s++) { const w=worldOf(s,"before"); if (w.limit.usd>2.2 && s%4) continue; const u=newTally(); const t0=performance.now(); const n=atEveryAwait(s,u,400); console.log("world",s,w.atOnce,w.day,w.limit,"n",n,"s",((performance.now()-t0)/1000).toFixed(1), JSON.stringify(u.deaths), u.breaches) ; if(s>36)break}
