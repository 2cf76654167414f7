import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{b as a}from"./action-chunk-43.js";import{a as u}from"./action-chunk-12.js";var g=12,h=20;function D(t,c){let[i,s]=[a(t),a(c)],e=[],n=0;for(let[r,d]of i.entries()){let f=s.slice(n,n+g+1).indexOf(d),p=n+Math.max(f,0)+1;f!==0&&e.push({line:r+1,before:d,after:s.slice(n,p)}),n=p}let o=s.slice(n),l=i.at(-1)??"";if(o.length>0){let r=e.at(-1)?.line===i.length?e.pop():void 0;e.push({line:i.length,before:l,after:[...r?.after??[l],...o]})}return e.length<=h&&e.every(r=>r.after.length>0&&r.after.length<=g+1)&&u(a(m(t,e)),s)?e:void 0}function m(t,c){let i=new Map(c.map(e=>[e.line,e.after])),s=t.includes(`\r
`)?`\r
`:`
`;return t.split(/(?<=\n)/).concat(t.endsWith(`
`)?[""]:[]).map((e,n)=>{let o=i.get(n+1);if(o===void 0)return e;let l=/\r?\n$/.exec(e)?.[0]??"";return o.join(l||s)+l}).join("")}export{D as a};
