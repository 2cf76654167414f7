import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{G as o,K as e,Q as n,R as i,S as r}from"./action-chunk-FU5HI2FG.js";import"./action-chunk-F2D2CEBD.js";async function l(m,a){let t=await n(m,a);if(t===void 0)return r();let{files:p,options:s,remarks:f}=await e(t);await i(t,await o(p,s),{remarks:f})}export{l as check};
