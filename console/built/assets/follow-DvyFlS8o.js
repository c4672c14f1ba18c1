import{i as e,r as t}from"./fault-text-Bof1Gum7.js";import{a as n,n as r,r as i}from"./transport-Box23UKY.js";async function*a(e){let t=new TextDecoder,n=e.getReader(),r=``;try{for(;;){let{done:e,value:i}=await n.read();if(e)return;r=(r+t.decode(i,{stream:!0})).replaceAll(`\r
`,`
`);for(let e=r.indexOf(`

`);e>=0;e=r.indexOf(`

`)){let t=r.slice(0,e);r=r.slice(e+2);let n=t.split(`
`).filter(e=>e.startsWith(`data:`)).map(e=>e.slice(5).replace(/^ /,``));n.length>0&&(yield n.join(`
`))}}}finally{await n.cancel().catch(()=>void 0)}}async function*o(t,o,l={}){let{transient:u=!1,signal:d,onLine:f}=l,p=l.after??0;for(let l=0;;l++){try{let n=await t.stream(`/v1/runs/${i(o)}/events`,{query:{after:p},headers:p===0?{}:{"last-event-id":String(p)},...d===void 0?{}:{signal:d}});if(n.status===204)return;if(!n.ok||n.body===null)throw await e(n);f?.({state:`open`});for await(let e of a(n.body)){let t=c(e);if(t!==void 0){if(`seq`in t){if(t.seq<=p)continue;p=t.seq,l=0}else if(!u)continue;if(yield t,t.type===`run.ended`)return}}}catch(e){if(d?.aborted===!0||s(e)||l>=10)throw e}let m=r(l);f?.({state:`lost`,again:m}),await n(m,d)}}var s=e=>e instanceof t&&e.status>=400&&e.status<500&&e.status!==429;function c(e){try{let t=JSON.parse(e);return typeof t==`object`&&t&&`type`in t?t:void 0}catch{return}}export{a as i,c as n,s as r,o as t};